import type { ComparisonView, DropComparison, PickCandidate, StartComparison } from "../api/comparison-view.ts";
import type { Caller } from "./caller.ts";

/**
 * Comparisons: one prompt for several models, each in its own worktree and session; then one is merged and the others are dropped. Rejects
 * with `CaretError`s: `not-found`, `invalid-request` (no repository, conflicts, not ready), `workspace-forbidden`.
 *
 * A comparison lives as long as the gateway. Worktrees that a gateway failed to remove are removed by the next one of its data directory.
 * If a comparison ends without a choice, the candidates' work stays in their worktrees and the log says where.
 */
export interface Comparisons {
  /** Resolves when the comparison is recorded; its candidates start after that. */
  start(wanted: StartComparison, caller: Caller): Promise<ComparisonView>;
  list(caller: Caller): Promise<readonly ComparisonView[]>;
  get(id: string, caller: Caller): Promise<ComparisonView>;
  /** Yields the current state, then each change, until it is picked, dropped or aborted. Slow readers skip intermediate states. */
  follow(id: string, signal: AbortSignal, caller: Caller): AsyncIterable<ComparisonView>;
  /**
   * Merges one candidate's work into the branch checked out and drops the others, as `drop` does. Changes nothing if there are conflicts
   * or, without `force`, if the candidate has files that no merge brings back.
   */
  pick(id: string, wanted: PickCandidate, caller: Caller): Promise<ComparisonView>;
  /**
   * Cancels what runs and removes the worktrees along with the changes the comparison lists. Without `force`, a candidate with other files
   * (Git-ignored ones, or those of an unfinished turn) is `kept`.
   */
  drop(id: string, caller: Caller, wanted?: DropComparison): Promise<ComparisonView>;
}
