import { type ErrorInfo, pricedUsage, type TranscriptTurn, turnTimes, usageWords } from "@caret/protocol";
import { GitFork, Hammer, RotateCw } from "lucide-react";
import { Button, IconButton } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatDuration } from "../parts/duration.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { useCommand, useTranscriptActions } from "./transcript-actions.ts";
import { answerOf } from "./transcript-rows.ts";

interface TurnEndProps {
  readonly turn: TranscriptTurn;
  /** Only the last turn can be tried again: the others have been answered by what came later. */
  readonly isLast: boolean;
}

/** Shorter waits are those for the policy. */
const WORTH_TELLING_MS = 1_000;

const words = { completed: "Done", cancelled: "Stopped", failed: "Failed" } as const;

/** How a turn went, what it took, and what can be done with it. */
export function TurnEnd({ turn, isLast }: TurnEndProps) {
  const { retry, fork, build } = useTranscriptActions();
  const { run, isBusy, failure } = useCommand();
  const { outcome } = turn;
  if (outcome === undefined) return null;
  const canRetry = isLast && retry !== undefined && turn.start?.prompt !== undefined;
  const again = canRetry ? () => run(() => retry(turn)) : undefined;
  const took = turn.start === undefined ? [] : timeWords(turn);
  return (
    <section aria-label="End of turn" className="mb-2">
      {outcome.kind === "failed" && <Failure error={outcome.error} onRetry={again} />}
      {isLast && build !== undefined && hasPlan(turn) && (
        <div className="px-2 py-1">
          <Button
            tone="primary"
            icon={<Hammer aria-hidden="true" size={14} />}
            disabled={isBusy}
            onClick={() => run(() => build(turn))}
          >
            Build this plan
          </Button>
        </div>
      )}
      <footer className="flex min-h-8 items-center gap-1 px-2 text-[12px] text-faint">
        <p className="min-w-0 flex-1 truncate">
          <span className={outcome.kind === "failed" ? "text-bad" : ""}>{words[outcome.kind]}</span>
          {[...took, ...usageWords(pricedUsage(turn))].map((word) => ` · ${word}`)}
        </p>
        <CopyButton text={() => answerOf(turn)} label="Copy the answer" />
        {again !== undefined && outcome.kind !== "failed" && (
          <IconButton
            icon={<RotateCw aria-hidden="true" size={14} />}
            label="Ask the same again"
            disabled={isBusy}
            onClick={again}
          />
        )}
        {fork !== undefined && (
          <IconButton
            icon={<GitFork aria-hidden="true" size={14} />}
            label="Fork from here"
            disabled={isBusy}
            onClick={() => run(() => fork(turn))}
          />
        )}
      </footer>
      {failure !== undefined && (
        <p role="alert" className="px-2 text-[13px] text-bad">
          {failure}
        </p>
      )}
    </section>
  );
}

/** A turn that was only to plan, and did. */
function hasPlan({ start, items, outcome }: TranscriptTurn): boolean {
  return start?.mode === "plan" && outcome?.kind === "completed" && items.some(({ kind }) => kind === "plan");
}

/** `4 s · 2 min waiting for you`. */
function timeWords(turn: TranscriptTurn): readonly string[] {
  const { workedMs, waitedMs } = turnTimes(turn);
  const waited = waitedMs < WORTH_TELLING_MS ? [] : [`${formatDuration(waitedMs)} waiting for you`];
  return [formatDuration(workedMs), ...waited];
}

function Failure({ error, onRetry }: { readonly error: ErrorInfo; readonly onRetry: (() => void) | undefined }) {
  return (
    <div className="my-1">
      <ErrorNote error={error} onRetry={onRetry} />
    </div>
  );
}
