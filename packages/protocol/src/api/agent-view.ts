import type { LaneName } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { Usage } from "../usage/usage.ts";
import type { PermissionWord, SessionStatus } from "./session-view.ts";

/** The sender or receiver of messages that is not an agent. No agent can have this name. */
export const HUMAN = "human";

/** The receiver of prompts that wait for a session which is no agent's. No agent can have this name. */
export function sessionReceiver(sessionId: string): string {
  return `session/${sessionId}`;
}

/** The name of an agent: part of a branch and of a path. */
export const agentNamePattern: RegExp = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** The most an agent may consume. What is absent is limited by the settings alone. */
export interface AgentBudget {
  /** Per turn. */
  readonly turn?: BudgetLimit;
  /** Over all its turns. */
  readonly session?: BudgetLimit;
}

export interface BudgetLimit {
  readonly tokens?: number;
  readonly usd?: number;
}

/** A Git worktree of the user's repository that Caret has made for one agent. */
export interface AgentWorktree {
  readonly repository: string;
  readonly branch: string;
}

/** What an agent is doing now, since when, and what it waits for. */
export type AgentDoing =
  | { readonly kind: "idle"; readonly since: number }
  | Extract<SessionStatus, { readonly kind: "running" | "waiting" }>
  /** Messages wait in its queue: for a free place among the agents at work, or because its turns cannot start. */
  | { readonly kind: "queued"; readonly since: number; readonly problem?: string }
  /** It takes nothing from its queue until it is resumed. `why` when Caret suspended it. */
  | { readonly kind: "suspended"; readonly since: number; readonly why?: string };

/** An agent as lists show it. */
export interface AgentView {
  readonly name: string;
  readonly sessionId: string;
  readonly workspace: string;
  readonly worktree?: AgentWorktree;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly permission: PermissionWord;
  readonly sandbox: SandboxWord;
  readonly budget: AgentBudget;
  /** Whether it has the user's own MCP servers where it runs its own tools; absent: as the settings say. */
  readonly userServers?: boolean;
  readonly createdAt: number;
  /** `human`, or the agent that created it. */
  readonly createdBy: string;
  readonly doing: AgentDoing;
  /** How its last turn ended; absent before its first and while one runs. */
  readonly lastOutcome?: "completed" | "cancelled" | "failed";
  /** The upstream has lost its chat: the next turn begins a new one, and is given the transcript. */
  readonly chatLost?: true;
  /** How many messages wait in its queue. */
  readonly waiting: number;
  /** What it said to a person that nobody has answered or put aside, oldest first. */
  readonly toHuman: readonly MessageView[];
  /** What it said last about its own work. */
  readonly report?: AgentReport;
  /** What all its turns consumed. */
  readonly usage?: Usage;
  readonly lastSeq: number;
  readonly lastLine: string;
}

export interface AgentReport {
  readonly text: string;
  readonly at: number;
}

/**
 * `queued`: waits for its receiver. `started`: a turn began with it. `read`: its receiver took it from the queue by itself, during
 * a turn. `dropped`: a person stopped the agent before it was taken.
 */
export const messageStates = ["queued", "started", "read", "dropped"] as const;
export type MessageState = (typeof messageStates)[number];

export interface MessageView {
  /** The user whose message it is; absent: that of the person whose gateway it is. */
  readonly user?: string;
  readonly id: string;
  /** An agent's name, or `human`. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** The message that it answers. */
  readonly replyTo?: string;
  readonly state: MessageState;
  /** When it was sent. */
  readonly at: number;
  /** The turn that began with it, or took it. */
  readonly turnId?: string;
  /** What its turn is for; absent: the agent carries it out. */
  readonly mode?: "plan" | "ask";
}

/** What waits for a session's turns, oldest first. */
export interface QueueView {
  readonly prompts: readonly MessageView[];
  /** Why the first of them could not start a turn; absent: none was tried, or it is tried again by itself. */
  readonly problem?: string;
}

/** What bringing an agent's work back would change. */
export interface MergePreview {
  /** Names this very preview: merging under it does what was shown, or nothing. */
  readonly id: string;
  readonly repository: string;
  /** The branch that would receive the work: the one that is checked out in the repository. */
  readonly into: string;
  readonly branch: string;
  /** What the branch and the uncommitted files of the worktree change against where they began. */
  readonly files: readonly MergedFile[];
  /** Files that both sides changed in ways Git cannot join. Nothing is merged while there are any. */
  readonly conflicts: readonly string[];
  /** Uncommitted files of the repository that the merge would have to overwrite. Nothing is merged while there are any. */
  readonly inTheWay: readonly string[];
}

export interface MergedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
}

export interface MergeResult {
  readonly into: string;
  /** The commit that the branch stands at now. */
  readonly commit: string;
  readonly files: readonly MergedFile[];
}
