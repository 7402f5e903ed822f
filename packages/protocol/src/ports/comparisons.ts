import type { ComparisonView, DropComparison, PickCandidate, StartComparison } from "../api/comparison-view.ts";
import type { Caller } from "./caller.ts";

/**
 * Comparisons: one prompt for several models, each in a worktree and a session of its own; then one is merged and the others are
 * dropped. Rejects with `CaretError`s: `not-found`, `invalid-request` (no repository, conflicts, not ready), `workspace-forbidden`.
 *
 * A comparison lives as long as the gateway. Worktrees that a gateway could not remove are removed by the next one of its data
 * directory. What candidates made stays in their worktrees, and the log says where, when a comparison ends and nobody has chosen.
 */
export interface Comparisons {
  /** Resolves when it is recorded; its candidates start then. */
  start(wanted: StartComparison, caller: Caller): Promise<ComparisonView>;
  list(caller: Caller): Promise<readonly ComparisonView[]>;
  get(id: string, caller: Caller): Promise<ComparisonView>;
  /** How it stands, at once and after changes, until it is picked, dropped or the signal. A slow reader gets fewer. */
  follow(id: string, signal: AbortSignal, caller: Caller): AsyncIterable<ComparisonView>;
  /**
   * Merges one candidate's work into the branch that is checked out, and drops the others. Conflicts change nothing; nor do, without
   * `force`, files of the candidate that no merge brings back. The others go as with `drop`.
   */
  pick(id: string, wanted: PickCandidate, caller: Caller): Promise<ComparisonView>;
  /**
   * Cancels what runs and removes the worktrees, with the changes that the comparison lists. Without `force` a candidate is `kept` that
   * has others: files that Git ignores, or those of a turn that did not come to its end.
   */
  drop(id: string, caller: Caller, wanted?: DropComparison): Promise<ComparisonView>;
}
