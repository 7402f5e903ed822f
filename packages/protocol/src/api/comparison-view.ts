import type { LaneName, TurnOutcome } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { Usage } from "../usage/usage.ts";
import type { MergeResult } from "./agent-view.ts";
import type { ChangedFile, PermissionWord } from "./session-view.ts";

/** One prompt for several models, each in a worktree of its own. */
export interface StartComparison {
  readonly prompt: string;
  /** One candidate each, in this order. */
  readonly models: readonly string[];
  /** A directory of the repository. */
  readonly workspace: string;
  /** A shell command that is run in each worktree once its turn has ended. */
  readonly check?: string;
  readonly lane?: LaneName;
  /** Nobody is asked during a comparison: what would be asked is refused. */
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  /** Drop it when nobody follows it any more: the client that has started it is gone. */
  readonly attended?: boolean;
  /** In a fleet: the machine where it is to be. Absent: one that has the directory. */
  readonly machine?: string;
}

export interface PickCandidate {
  /** Its `id`. */
  readonly candidate: string;
  /** Of the commit that its uncommitted files are put in. */
  readonly message?: string;
  /** Also although it has files that no merge brings back, such as those that Git ignores: they go with its worktree, and those of all others with theirs. */
  readonly force?: boolean;
}

export interface DropComparison {
  /** Also where candidates have what the comparison does not list: it goes with their worktrees. */
  readonly force?: boolean;
  /** Nobody has chosen to lose the candidates' work: every worktree that holds any is kept. */
  readonly keep?: boolean;
}

/** A candidate's worktree that stays after the comparison: it holds what is nowhere else, and nobody has chosen to lose it. */
export interface KeptCandidate {
  readonly path: string;
  readonly branch: string;
  /** What it holds, named for people. */
  readonly files: readonly string[];
  /** How many more there are. */
  readonly omitted: number;
}

export interface CheckResult {
  /** Null: it was stopped, or a signal ended it. */
  readonly exitCode: number | null;
  /** The end of what it printed. */
  readonly output: string;
  readonly durationMs: number;
}

/** `done`: its turn has ended, however, and so has its check. */
export type CandidateState = "starting" | "running" | "checking" | "done";

export interface CandidateView {
  readonly id: string;
  readonly model: string;
  readonly state: CandidateState;
  readonly sessionId?: string;
  /** What it does now: the newest line of its turn. */
  readonly lastLine: string;
  readonly outcome?: TurnOutcome;
  /** Of the turn alone. */
  readonly durationMs?: number;
  readonly usage?: Usage;
  readonly check?: CheckResult;
  /** What it changed, with diffs; once it is done. */
  readonly files?: readonly ChangedFile[];
  /** How many changed files are not listed because there are too many. */
  readonly omitted?: number;
  /** After the comparison, where its worktree stays. */
  readonly kept?: KeptCandidate;
}

/** `ready`: all candidates are done, and one may be picked. After `picked` and `dropped` no worktree is left but those of candidates that are `kept`. */
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
