import type { Todo, TranscriptItem, TranscriptTurn } from "@caret/protocol";
import { ChevronRight, ListTodo } from "lucide-react";
import { useId, useState } from "react";
import { Words } from "../parts/field.tsx";
import { TodoLine } from "../transcript/todos-card.tsx";

const settled: ReadonlySet<Todo["status"]> = new Set<Todo["status"]>(["completed", "cancelled"]);

/** The list that the agent works through, in sight however far its card has scrolled away. */
export function StickyTodos({ turns }: { readonly turns: readonly TranscriptTurn[] }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const todos = openTodos(turns);
  if (todos === undefined) return null;
  const done = todos.filter(({ status }) => status === "completed").length;
  const current = todos.find(({ status }) => status === "in-progress");
  return (
    <section aria-label="Todos" className="mb-1 rounded-md border border-line bg-raised text-[13px]">
      <button
        type="button"
        aria-controls={id}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-md px-2 text-left hover:bg-panel max-md:min-h-10"
      >
        <ListTodo size={14} aria-hidden="true" className="shrink-0 text-faint" />
        <span className="shrink-0 font-medium tabular-nums">
          {done} of {todos.length} done
        </span>
        <span className="min-w-0 flex-1 truncate text-soft">
          {current !== undefined && <Words text={current.content} />}
        </span>
        <ChevronRight
          size={14}
          aria-hidden="true"
          className={`shrink-0 text-faint transition-transform duration-100 ${isOpen ? "-rotate-90" : ""}`}
        />
      </button>
      <ul id={id} hidden={!isOpen} className="max-h-48 overflow-y-auto border-line border-t px-3 py-1.5">
        {todos.map((todo) => (
          <TodoLine key={todo.id} todo={todo} />
        ))}
      </ul>
    </section>
  );
}

/**
 * The list as it stands, while something on it is left to do. That of the turn before counts as long as a turn runs and has
 * none: the agent goes on with it.
 */
export function openTodos(turns: readonly TranscriptTurn[]): readonly Todo[] | undefined {
  const last = turns.at(-1);
  if (last === undefined) return undefined;
  const items = lastTodos(last) ?? (last.outcome === undefined ? lastTodos(turns.at(-2)) : undefined);
  return items?.some(({ status }) => !settled.has(status)) === true ? items : undefined;
}

function lastTodos(turn: TranscriptTurn | undefined): readonly Todo[] | undefined {
  return turn?.items.findLast(
    (item): item is Extract<TranscriptItem, { readonly kind: "todos" }> => item.kind === "todos",
  )?.items;
}
