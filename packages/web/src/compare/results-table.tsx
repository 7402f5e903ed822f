import type { CandidateView, ComparisonView } from "@caret/protocol";
import type { ReactNode } from "react";
import { costWords } from "../agents/agent-doing.ts";
import { ChangeCount } from "../diff/change-count.tsx";
import { Button } from "../parts/button.tsx";
import { formatDuration } from "../parts/duration.tsx";
import { changeSize, checkWords, outcomeWords } from "./candidate-words.ts";

interface ResultsTableProps {
  readonly comparison: ComparisonView;
  /** The candidate whose changes are shown. */
  readonly shown: string | undefined;
  readonly onShow: (candidate: string) => void;
  readonly onPick: (candidate: CandidateView) => void;
}

/** What came of each candidate, side by side: its changes, the check, the cost and the time. */
export function ResultsTable({ comparison, shown, onShow, onPick }: ResultsTableProps) {
  const { candidates, check, picked, state } = comparison;
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-raised">
      <table className="w-full text-left text-[13px]">
        <thead className="text-[12px] text-faint">
          <tr className="border-line border-b">
            <Head>Model</Head>
            <Head>Outcome</Head>
            <Head>Changes</Head>
            {check !== undefined && <Head>Check</Head>}
            <Head>Cost</Head>
            <Head>Time</Head>
            <th>
              <span className="sr-only">What to do</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {candidates.map((candidate) => (
            <tr className={candidate.id === picked?.candidate ? "bg-good/10" : ""} key={candidate.id}>
              <th className="px-3 py-2 font-medium" scope="row">
                {candidate.model}
              </th>
              <td className="min-w-24 px-3 py-2 text-soft [overflow-wrap:anywhere]">{outcomeWords(candidate)}</td>
              <Cell>
                <Changes candidate={candidate} isShown={candidate.id === shown} onShow={onShow} />
              </Cell>
              {check !== undefined && <Cell>{checkWords(candidate)}</Cell>}
              <Cell>{costWords(candidate)}</Cell>
              <Cell>{candidate.durationMs === undefined ? "" : formatDuration(candidate.durationMs)}</Cell>
              <td className="px-3 py-2 text-right">
                {candidate.id === picked?.candidate && <span className="text-good">Merged</span>}
                {state === "ready" && (changeSize(candidate)?.files ?? 0) > 0 && (
                  <Button onClick={() => onPick(candidate)}>
                    Pick<span className="sr-only"> {candidate.model}</span>
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head({ children }: { readonly children: string }) {
  return (
    <th className="px-3 py-2 font-medium" scope="col">
      {children}
    </th>
  );
}

function Cell({ children }: { readonly children: ReactNode }) {
  return <td className="whitespace-nowrap px-3 py-2 text-soft">{children}</td>;
}

interface ChangesProps {
  readonly candidate: CandidateView;
  readonly isShown: boolean;
  readonly onShow: (candidate: string) => void;
}

function Changes({ candidate, isShown, onShow }: ChangesProps) {
  const size = changeSize(candidate);
  if (size === undefined) return null;
  if (size.files === 0) return "none";
  return (
    <button
      aria-expanded={isShown}
      className="inline-flex cursor-pointer items-center gap-2 whitespace-nowrap text-accent underline underline-offset-2 max-md:min-h-10"
      onClick={() => onShow(candidate.id)}
      type="button"
    >
      {size.files === 1 ? "1 file" : `${size.files} files`}
      <ChangeCount additions={size.additions} deletions={size.deletions} />
    </button>
  );
}
