import type { ToolActivity } from "@caret/protocol";
import { Duration } from "../parts/duration.tsx";
import { formatDuration } from "../parts/format-duration.ts";
import { Spinner } from "../parts/spinner.tsx";

/** Shorter ones are not worth a word. */
const WORTH_TELLING_MS = 1_000;

interface ToolStateProps {
  readonly tool: ToolActivity;
  readonly startedAt: number;
  /** A person is being asked whether it may run: it does not run yet. */
  readonly isAsked?: true | undefined;
  /** The turn is over: what still runs by its own words does not. */
  readonly isOver: boolean;
}

/** How a call went, in words: never by a colour alone. */
export function ToolState({ tool, startedAt, isAsked, isOver }: ToolStateProps) {
  if (isAsked && tool.status === "running" && !isOver)
    return <span className="shrink-0 text-[12px] text-warn">Waiting for you</span>;
  if (tool.status === "running" && !isOver)
    return (
      <span className="flex shrink-0 items-center gap-1.5 text-[12px] text-soft">
        <Spinner />
        {tool.owner === "client" ? "Waiting for the client" : "Running"} <Duration since={startedAt} />
      </span>
    );
  const words = failureWords(tool);
  const took = tool.durationMs !== undefined && tool.durationMs >= WORTH_TELLING_MS;
  return (
    <span className="shrink-0 text-[12px] text-faint tabular-nums">
      {words !== undefined && <span className={words.look}>{words.text}</span>}
      {words !== undefined && took && " · "}
      {took && formatDuration(tool.durationMs ?? 0)}
    </span>
  );
}

function failureWords({
  status,
  notRun,
  exitCode,
}: ToolActivity): { readonly text: string; readonly look: string } | undefined {
  if (status === "rejected") return { text: "Denied", look: "text-warn" };
  if (notRun === true) return { text: "Not run", look: "text-warn" };
  if (status === "interrupted" || status === "running") return { text: "Interrupted", look: "text-warn" };
  if (exitCode !== undefined && exitCode !== 0) return { text: `exit ${exitCode}`, look: "text-bad" };
  if (status === "error") return { text: "Failed", look: "text-bad" };
  return undefined;
}
