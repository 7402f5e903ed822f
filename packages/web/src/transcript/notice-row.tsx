import { isHeard, type NoticeKind } from "@caret/protocol";
import { Info, TriangleAlert } from "lucide-react";
import { Words } from "../parts/field.tsx";
import type { ItemOf } from "./transcript-rows.ts";

const warnings: ReadonlySet<NoticeKind> = new Set<NoticeKind>([
  "loop-warning",
  "budget-warning",
  "error",
  "resume-lost",
  "model-fallback",
  "lane-fallback",
]);

/** Something worth knowing that nobody has to act on: a quiet line. */
export function NoticeRow({ item: { notice }, isOver }: { readonly item: ItemOf<"notice">; readonly isOver: boolean }) {
  if (notice.kind === "steer")
    return <SteerRow text={notice.message} state={isHeard(notice) ? "heard" : isOver ? "unheard" : "waiting"} />;
  const isWarning = warnings.has(notice.kind);
  const Icon = isWarning ? TriangleAlert : Info;
  return (
    <p className="flex items-start gap-2 px-2 py-1 text-[13px] text-soft">
      <Icon size={14} aria-hidden="true" className={`mt-[3px] shrink-0 ${isWarning ? "text-warn" : "text-faint"}`} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <Words text={notice.message} />
      </span>
    </p>
  );
}

/** It is handed over with a tool's result: until there is one, the agent does not know of it. */
const steerWords = {
  waiting: "Waiting: the agent hears it after its next step",
  heard: "Heard",
  unheard: "Came too late for this turn",
} as const;

/** A person's own words to a turn that runs look like the prompt it began with. */
function SteerRow({ text, state }: { readonly text: string; readonly state: keyof typeof steerWords }) {
  return (
    <section aria-label="Said while the agent worked" className="rounded-lg border border-line bg-panel px-3 py-2">
      <h3 className="font-medium text-[12px] text-soft">
        You, while the agent worked <span className="font-normal text-faint">· {steerWords[state]}</span>
      </h3>
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
    </section>
  );
}
