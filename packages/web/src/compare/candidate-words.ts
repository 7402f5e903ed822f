import type { CandidateView } from "@caret/protocol";

/** What came of a candidate, or what it does now. */
export function outcomeWords({ outcome, state }: Pick<CandidateView, "outcome" | "state">): string {
  if (state !== "done") return states[state];
  if (outcome === undefined) return "Could not start";
  return outcome.kind === "failed" ? `Failed: ${outcome.error.message}` : outcomes[outcome.kind];
}

const states = { starting: "Starting", running: "Working", checking: "Being checked" } as const;
const outcomes = { completed: "Done", cancelled: "Stopped" } as const;

/** Empty where there is no check. */
export function checkWords({ check }: Pick<CandidateView, "check">): string {
  if (check === undefined) return "";
  if (check.exitCode === null) return "stopped";
  return check.exitCode === 0 ? "passed" : `exit ${check.exitCode}`;
}

export interface ChangeSize {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}

/** Undefined while it is not known what was changed. */
export function changeSize({ files, omitted = 0 }: Pick<CandidateView, "files" | "omitted">): ChangeSize | undefined {
  if (files === undefined) return undefined;
  return {
    files: files.length + omitted,
    additions: files.reduce((sum, { additions = 0 }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions = 0 }) => sum + deletions, 0),
  };
}
