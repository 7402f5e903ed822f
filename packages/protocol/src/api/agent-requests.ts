import type { LaneName } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { AgentBudget } from "./agent-view.ts";
import type { PermissionWord } from "./session-view.ts";

/** Request bodies of the agent commands. */
export interface CreateAgent {
  readonly name: string;
  /** Working directory. If neither this nor `worktree` is set: the gateway's default, else a new empty directory. */
  readonly workspace?: string;
  /** A Git repository: the agent works in its own worktree of it, on its own branch. Excludes `workspace`. */
  readonly worktree?: string;
  readonly model?: string;
  readonly lane?: LaneName;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly budget?: AgentBudget;
  /** Whether an agent that runs its own tools (`full`) also gets the user's MCP servers. Default: the gateway's setting. */
  readonly userServers?: boolean;
  /** In a fleet: the machine to create the agent on. Default: one that has the directory. */
  readonly machine?: string;
}

/** Omitted fields stay unchanged. Takes effect with the next turn. */
export interface ChangeAgent {
  readonly model?: string;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly budget?: AgentBudget;
  readonly userServers?: boolean;
}

export interface SendMessage {
  readonly text: string;
  /** The sender's own message id; a message sent twice under one id is stored once. Default: a new id. */
  readonly id?: string;
  /** The message this one answers. */
  readonly replyTo?: string;
}

/** A prompt to run after the current turn. */
export interface QueuePrompt {
  readonly prompt: string;
  readonly mode?: "agent" | "plan" | "ask";
  /** The sender's own id; a prompt sent twice under one id is stored once. Default: a new id. */
  readonly id?: string;
}

/** Omitted fields stay unchanged. */
export type ChangeQueued = Partial<Pick<QueuePrompt, "prompt" | "mode">>;

export interface SuspendAgent {
  /** Cancel the running turn instead of waiting for its end. */
  readonly now?: boolean;
}

export interface RemoveAgent {
  /** Remove the agent even while it works, and even if that loses unmerged work or Git-ignored files in its worktree. */
  readonly force?: boolean;
}

export interface MergeAgent {
  /** The `id` of the preview the caller has seen. */
  readonly preview: string;
  /** Message of the commit for uncommitted files. Default: one that names the agent. */
  readonly message?: string;
}
