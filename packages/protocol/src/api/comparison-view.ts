import type { LaneName, TurnOutcome } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { Usage } from "../usage/usage.ts";
import type { MergeResult } from "./agent-view.ts";
import type { ChangedFile, PermissionWord } from "./session-view.ts";

/** One prompt for several models, each in its own worktree. */
export interface StartComparison {
  readonly prompt: string;
  /** One candidate per model, in this order. */
  readonly models: readonly string[];
  /** A directory inside the repository. */
  readonly workspace: string;
  /** Shell command to run in each worktree after its turn. */
  readonly check?: string;
  readonly lane?: LaneName;
  /** A comparison asks nobody: any call that would need an approval is refused. */
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  /** Drop the comparison when its last follower disconnects, i.e. when the client that started it is gone. */
  readonly attended?: boolean;
  /** In a fleet: the machine to run it on. Default: one that has the directory. */
  readonly machine?: string;
}

export interface PickCandidate {
  /** The candidate's `id`. */
  readonly candidate: string;
  /** Message of the commit for the candidate's uncommitted files. */
  readonly message?: string;
  /** Also although it has files that no merge brings back, such as those that Git ignores: they go with its worktree, and those of all others with theirs. */
  readonly force?: boolean;
}

export interface DropComparison {
  /** Drop even if candidates have files that the comparison does not list: they are deleted with the worktrees. */
  readonly force?: boolean;
  /** Nobody has chosen to lose the candidates' work: every worktree that holds any is kept. */
  readonly keep?: boolean;
}

/** A worktree kept after the comparison because it holds the only copy of some files and nobody agreed to lose them. */
export interface KeptCandidate {
  readonly path: string;
  readonly branch: string;
  /** The files it holds, described for people. */
  readonly files: readonly string[];
  /** Number of further files, not listed. */
  readonly omitted: number;
}

export interface CheckResult {
  /** Null if the check was stopped or a signal ended it. */
  readonly exitCode: number | null;
  /** Tail of its output. */
  readonly output: string;
  readonly durationMs: number;
}

/** `done`: the turn has ended, with any outcome, and so has its check. */
export type CandidateState = "starting" | "running" | "checking" | "done";

export interface CandidateView {
  readonly id: string;
  readonly model: string;
  readonly state: CandidateState;
  readonly sessionId?: string;
  /** Newest line of its turn. */
  readonly lastLine: string;
  readonly outcome?: TurnOutcome;
  /** Duration of the turn alone, without the check. */
  readonly durationMs?: number;
  readonly usage?: Usage;
  readonly check?: CheckResult;
  /** The changed files with diffs, once it is done. */
  readonly files?: readonly ChangedFile[];
  /** Number of changed files beyond the listing limit. */
  readonly omitted?: number;
  /** Set after the comparison if its worktree was kept. */
  readonly kept?: KeptCandidate;
}

/** `ready`: all candidates are done and one can be picked. After `picked` and `dropped` only the worktrees of `kept` candidates remain. */
export type ComparisonState = "running" | "ready" | "picked" | "dropped";

export interface ComparisonView {
  readonly id: string;
  readonly prompt: string;
  readonly repository: string;
  readonly check?: string;
  readonly createdAt: number;
  readonly state: ComparisonState;
  readonly candidates: readonly CandidateView[];
  readonly picked?: { readonly candidate: string; readonly merge: MergeResult };
}
