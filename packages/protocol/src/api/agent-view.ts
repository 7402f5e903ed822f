import type { LaneName } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { Usage } from "../usage/usage.ts";
import type { PermissionWord, SessionStatus } from "./session-view.ts";

/** Sender or receiver of messages to and from people. Reserved: no agent can have this name. */
export const HUMAN = "human";

/** Receiver of prompts queued for a session that belongs to no agent. Reserved: no agent can have such a name. */
export function sessionReceiver(sessionId: string): string {
  return `session/${sessionId}`;
}

/** Pattern of agent names, which become part of a branch and of a path. */
export const agentNamePattern: RegExp = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** The most an agent may consume. An omitted limit leaves only the gateway's settings. */
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

/** A Git worktree of the user's repository, created by Caret for one agent. */
export interface AgentWorktree {
  readonly repository: string;
  readonly branch: string;
}

/** What an agent is doing, since when, and what it is waiting for. */
export type AgentDoing =
  | { readonly kind: "idle"; readonly since: number }
  | Extract<SessionStatus, { readonly kind: "running" | "waiting" }>
  /** Messages are queued: all places for agents at work are taken, or its turns cannot start (`problem`). */
  | { readonly kind: "queued"; readonly since: number; readonly problem?: string }
  /** Takes nothing from its queue until resumed. `why` is set when Caret suspended it. */
  | { readonly kind: "suspended"; readonly since: number; readonly why?: string };

/** An agent as shown in lists. */
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
  /** Whether an agent that runs its own tools also gets the user's MCP servers. If absent, the gateway's setting applies. */
  readonly userServers?: boolean;
  readonly createdAt: number;
  /** `human`, or the agent that created it. */
  readonly createdBy: string;
  readonly doing: AgentDoing;
  /** How its last turn ended; absent before the first turn and while one runs. */
  readonly lastOutcome?: "completed" | "cancelled" | "failed";
  /** Upstream lost the agent's chat: the next turn starts a new one, primed with the transcript. */
  readonly chatLost?: true;
  /** Number of messages in its queue. */
  readonly waiting: number;
  /** Its messages to people, neither answered nor dismissed yet; oldest first. */
  readonly toHuman: readonly MessageView[];
  /** Its latest report on its own work. */
  readonly report?: AgentReport;
  /** Total over all its turns. */
  readonly usage?: Usage;
  readonly lastSeq: number;
  readonly lastLine: string;
}

export interface AgentReport {
  readonly text: string;
  readonly at: number;
}

/**
 * `queued`: waiting for its receiver. `started`: a turn began with it. `read`: its receiver took it from the queue during a turn.
 * `dropped`: a person stopped the agent before it was taken.
 */
export const messageStates = ["queued", "started", "read", "dropped"] as const;
export type MessageState = (typeof messageStates)[number];

export interface MessageView {
  /** The user the message belongs to. If absent, the gateway's own user. */
  readonly user?: string;
  readonly id: string;
  /** An agent's name, or `human`. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** The message this one answers. */
  readonly replyTo?: string;
  readonly state: MessageState;
  /** When it was sent, in milliseconds since the epoch. */
  readonly at: number;
  /** The turn that it started, or that read it. */
  readonly turnId?: string;
  /** Mode of the turn it starts. If absent, the agent carries it out. */
  readonly mode?: "plan" | "ask";
}

/** Prompts queued for a session, oldest first. */
export interface QueueView {
  readonly prompts: readonly MessageView[];
  /** Why the first prompt could not start a turn. Absent if no start was attempted, or if it is retried automatically. */
  readonly problem?: string;
}

/** What merging an agent's work back would change. */
export interface MergePreview {
  /** Identifies this exact preview: merging by it does what was shown, or nothing. */
  readonly id: string;
  readonly repository: string;
  /** The branch that would receive the work: the one checked out in the repository. */
  readonly into: string;
  readonly branch: string;
  /** What the branch and the worktree's uncommitted files change relative to their starting point. */
  readonly files: readonly MergedFile[];
  /** Files with conflicts that Git cannot resolve. Any conflict blocks the merge. */
  readonly conflicts: readonly string[];
  /** Uncommitted files in the repository that the merge would overwrite. Any such file blocks the merge. */
  readonly inTheWay: readonly string[];
}

export interface MergedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed";
}

export interface MergeResult {
  readonly into: string;
  /** The branch's commit after the merge. */
  readonly commit: string;
  readonly files: readonly MergedFile[];
}
