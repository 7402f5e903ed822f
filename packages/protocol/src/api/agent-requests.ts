import type { LaneName } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { AgentBudget } from "./agent-view.ts";
import type { PermissionWord } from "./session-view.ts";

/** Bodies of the commands on agents. */
export interface CreateAgent {
  readonly name: string;
  /** Where it works. Neither this nor `worktree`: the gateway's default, else an empty directory of its own. */
  readonly workspace?: string;
  /** A Git repository: the agent works in a worktree of it, on a branch of its own. Not together with `workspace`. */
  readonly worktree?: string;
  readonly model?: string;
  readonly lane?: LaneName;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly budget?: AgentBudget;
  /** Whether it has the user's own MCP servers where it runs its own tools (`full`); absent: as the settings say. */
  readonly userServers?: boolean;
  /** In a fleet: the machine where it is to be. Absent: one that has the directory. */
  readonly machine?: string;
}

/** What is absent stays as it is. Takes effect with the next turn. */
export interface ChangeAgent {
  readonly model?: string;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly budget?: AgentBudget;
  readonly userServers?: boolean;
}

export interface SendMessage {
  readonly text: string;
  /** The sender's own id for the message: the same id is stored once, however often it is sent. Absent: a new one. */
  readonly id?: string;
  /** The message that it answers. */
  readonly replyTo?: string;
}

/** A prompt for after the turn that runs. */
export interface QueuePrompt {
  readonly prompt: string;
  readonly mode?: "agent" | "plan" | "ask";
  /** The sender's own id: the same id is stored once, however often it is sent. Absent: a new one. */
  readonly id?: string;
}

/** What is absent stays as it is. */
export type ChangeQueued = Partial<Pick<QueuePrompt, "prompt" | "mode">>;

export interface SuspendAgent {
  /** Cancel the turn that runs instead of waiting for its end. */
  readonly now?: boolean;
}

export interface RemoveAgent {
  /** Also while it works, and although its worktree has what nothing else has: work that was not merged, files that Git ignores. */
  readonly force?: boolean;
}

export interface MergeAgent {
  /** The `id` of the preview that was looked at. */
  readonly preview: string;
  /** The message of the commit that uncommitted files are put in; absent: one that names the agent. */
  readonly message?: string;
}
