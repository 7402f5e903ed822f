import type { Todo } from "@caret/protocol";
import { Circle, CircleCheck, CircleDot, CircleSlash, ListTodo, type LucideIcon } from "lucide-react";
import { Words } from "../parts/field.tsx";
import { Card } from "./card.tsx";
import type { ItemOf } from "./transcript-rows.ts";

const looks: Readonly<
  Record<Todo["status"], { readonly icon: LucideIcon; readonly word: string; readonly look: string }>
> = {
  pending: { icon: Circle, word: "To do", look: "text-soft" },
  "in-progress": { icon: CircleDot, word: "In progress", look: "font-medium text-ink" },
  completed: { icon: CircleCheck, word: "Done", look: "text-faint line-through" },
  cancelled: { icon: CircleSlash, word: "Cancelled", look: "text-faint line-through" },
  unknown: { icon: Circle, word: "Unknown state", look: "text-soft" },
};

/** How the list stands, or stood: an earlier one is folded. */
export function TodosCard({ item, isOutdated }: { readonly item: ItemOf<"todos">; readonly isOutdated: boolean }) {
  const done = item.items.filter((todo) => todo.status === "completed").length;
  return (
    <Card
      key={isOutdated ? "outdated" : "current"}
      seq={item.seq}
      icon={ListTodo}
      title={<span className="font-medium">Todos</span>}
      state={
        <span className="text-[12px] text-faint tabular-nums">
          {done} of {item.items.length} done
        </span>
      }
      copyText={item.items.map((todo) => `- [${todo.status === "completed" ? "x" : " "}] ${todo.content}`).join("\n")}
      isOpenAtFirst={!isOutdated}
    >
      <ul className="px-3 py-2 text-[13px]">
        {item.items.map((todo) => (
          <TodoLine key={todo.id} todo={todo} />
        ))}
      </ul>
    </Card>
  );
}

export function TodoLine({ todo }: { readonly todo: Todo }) {
  const { icon: Icon, word, look } = looks[todo.status];
  return (
    <li className="flex items-start gap-2 py-0.5">
      <Icon
        size={14}
        aria-hidden="true"
        className={`mt-1 shrink-0 ${todo.status === "in-progress" ? "text-accent" : "text-faint"}`}
      />
      <span className="sr-only">{word}:</span>
      <span className={look}>
        <Words text={todo.content} />
      </span>
    </li>
  );
}
