import type { CandidateView } from "@caret/protocol";
import { Link } from "wouter";
import { Duration } from "../parts/duration.tsx";
import { Spinner } from "../parts/placeholders.tsx";
import { outcomeWords } from "./candidate-words.ts";

interface CandidateColumnProps {
  readonly candidate: CandidateView;
  /** When the comparison began. */
  readonly since: number;
}

/** One candidate while it works: what it says now, and the way to its transcript. */
export function CandidateColumn({ candidate, since }: CandidateColumnProps) {
  const { model, state, sessionId, lastLine } = candidate;
  const isOver = state === "done";
  return (
    <li className="flex min-h-32 min-w-0 flex-col gap-1 rounded-lg border border-line bg-raised p-3">
      <h2 className="truncate font-medium text-[13px]" title={model}>
        {sessionId === undefined ? (
          model
        ) : (
          <Link className="hover:underline" href={`/s/${sessionId}`}>
            {model}
          </Link>
        )}
      </h2>
      <p className={`flex items-center gap-1.5 text-[12px] ${isOver ? "text-soft" : "text-accent"}`}>
        {!isOver && <Spinner />}
        {outcomeWords(candidate)}
        {!isOver && (
          <>
            {" · "}
            <Duration since={since} />
          </>
        )}
      </p>
      <p className="line-clamp-4 font-mono text-[12px] text-soft [overflow-wrap:anywhere]">{lastLine}</p>
    </li>
  );
}
