import type { CandidateView, ComparisonView } from "@caret/protocol";
import { useState } from "react";
import { ChangedFiles } from "../changes/changed-files.tsx";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Spinner } from "../parts/placeholders.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { CandidateColumn } from "./candidate-column.tsx";
import { ResultsTable } from "./results-table.tsx";
import { useComparison } from "./use-comparison.ts";

/** One prompt for several models: side by side while they work, then in a table, from which one is picked and merged. */
export function ComparisonScreen({ id }: { readonly id: string }) {
  const { view, error, put } = useComparison(id);
  const api = useApi();
  const [isDropping, setDropping] = useState(false);
  const isOpen = view?.state === "running" || view?.state === "ready";
  return (
    <ScreenFrame
      about={view?.prompt}
      actions={
        isOpen && (
          <Button onClick={() => setDropping(true)} tone="danger">
            {view.state === "running" ? "Stop and drop" : "Drop all"}
          </Button>
        )
      }
      title="Comparison"
    >
      {view === undefined && error === undefined && (
        <p className="flex items-center gap-2 text-soft" role="status">
          <Spinner /> Looking at the comparison…
        </p>
      )}
      {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      {isDropping && (
        <ConfirmDialog
          action="Drop"
          onClose={() => setDropping(false)}
          onConfirm={() => api.dropComparison(id, { force: true }).then(put)}
          title="Drop this comparison?"
        >
          Turns that run are stopped. Everything in the candidates' worktrees is deleted with them: what they changed,
          and files that are in no diff, such as those that Git ignores. Your own files stay as they are.
        </ConfirmDialog>
      )}
      {view !== undefined && <Comparison comparison={view} onChange={put} />}
    </ScreenFrame>
  );
}

interface ComparisonProps {
  readonly comparison: ComparisonView;
  readonly onChange: (view: ComparisonView) => void;
}

function Comparison({ comparison, onChange }: ComparisonProps) {
  const { id, candidates, createdAt, state, repository } = comparison;
  const api = useApi();
  const [picking, setPicking] = useState<CandidateView>();
  const [isForced, setForced] = useState(false);
  const [shown, setShown] = useState<string>();
  const files = candidates.find((candidate) => candidate.id === shown)?.files;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft" role="status">
        {stateWords(comparison)}
      </p>
      {state === "running" && (
        <ul aria-label="Candidates" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {candidates.map((candidate) => (
            <CandidateColumn candidate={candidate} key={candidate.id} since={createdAt} />
          ))}
        </ul>
      )}
      {state !== "running" && (
        <ResultsTable
          comparison={comparison}
          onPick={setPicking}
          onShow={(candidate) => setShown(candidate === shown ? undefined : candidate)}
          shown={shown}
        />
      )}
      {files !== undefined && <ChangedFiles files={files} key={shown} />}
      {picking !== undefined && (
        <ConfirmDialog
          action="Merge"
          onClose={() => {
            setPicking(undefined);
            setForced(false);
          }}
          onConfirm={() => api.pickCandidate(id, { candidate: picking.id, force: isForced }).then(onChange)}
          title={`Merge the work of ${picking.model}?`}
        >
          Its changes go to the branch that is checked out in {repository}. The other candidates are dropped with the
          changes shown here; a worktree with more than that is kept.
          <label className="mt-3 flex items-center gap-2">
            <input checked={isForced} onChange={(event) => setForced(event.currentTarget.checked)} type="checkbox" />
            Also delete what no merge brings back and no diff shows, such as files that Git ignores: here and in the
            worktrees of all other candidates
          </label>
        </ConfirmDialog>
      )}
    </div>
  );
}

function stateWords({ state, picked, candidates }: ComparisonView): string {
  if (state === "running") return "At work, each in a worktree of its own.";
  if (state === "ready")
    return "All are done. Look at their changes, and pick one: it is merged, the others are dropped.";
  const kept = candidates.flatMap(({ kept: one }) =>
    one === undefined ? [] : [`${one.path} (${one.files.join(", ")})`],
  );
  const left = kept.length === 0 ? "No worktree is left." : `Kept, with what is nowhere else: ${kept.join("; ")}.`;
  if (picked === undefined) return `Dropped: nothing was merged. ${left}`;
  const { model = "" } = candidates.find(({ id }) => id === picked.candidate) ?? {};
  return `The work of ${model} is in ${picked.merge.into}. ${left}`;
}
