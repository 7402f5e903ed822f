import type { LaneName } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { GrantView, PermissionWord } from "./session-view.ts";

/** Bodies of the native door's commands. Each may be sent with an `idempotency-key` header: the same key is done once. */
export interface CreateSession {
  /** Absent: the gateway's default, else an empty directory of its own. */
  readonly workspace?: string;
  /** Work in a new Git worktree of the repository that the workspace lies in, on a branch of its own. */
  readonly worktree?: boolean;
  readonly title?: string;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly permission?: PermissionWord;
  /** Of all its turns; one of them may ask for more. Absent: as the gateway is set up. */
  readonly sandbox?: SandboxWord;
  /** In a fleet: the machine where it is to be. Absent: one that has the directory. */
  readonly machine?: string;
}

export interface ChangeSession {
  readonly title?: string;
  readonly archived?: boolean;
  readonly pinned?: boolean;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly model?: string;
  /** Of the turns that follow. An agent that has no chat of the session is given its transcript. */
  readonly lane?: LaneName;
}

export interface ForkSession {
  /** The fork has everything up to and with this event, the last of a turn; 0: nothing. Absent: everything. */
  readonly throughSeq?: number;
  readonly title?: string;
}

/** An MCP server: a program that is started in the session's workspace, or an address. */
export type OfferedServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly name: string; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface OfferServers {
  readonly servers: readonly OfferedServer[];
}

export interface PromptImage {
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  readonly mediaType: string;
  readonly base64: string;
}

export interface StartTurn {
  readonly prompt: string;
  readonly images?: readonly PromptImage[];
  readonly model?: string;
  readonly mode?: "agent" | "plan" | "ask";
  readonly permission?: PermissionWord;
  /** The strictest holds of this, the session's and the gateway's own. */
  readonly sandbox?: SandboxWord;
}

/** A hunk of a changed file, with its line that begins with `@@`, as the changes show it. */
export interface DiscardHunk {
  readonly path: string;
  readonly hunk: string;
}

export interface CommitChanges {
  readonly message: string;
  /** Relative to the workspace: these files are committed, as they are, and no others. */
  readonly paths: readonly string[];
  /** A new branch to commit on; absent: the one that is checked out. */
  readonly branch?: string;
}

export interface CommittedChanges {
  readonly commit: string;
  /** Absent when no branch is checked out. */
  readonly branch?: string;
}

export interface StartedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  readonly firstSeq: number;
}

export interface SteerTurn {
  readonly text: string;
}

export interface AnswerQuestion {
  /** Absent: the question is skipped. */
  readonly answers?: readonly QuestionChoice[];
}

export interface QuestionChoice {
  readonly questionId: string;
  readonly optionIds: readonly string[];
  /** The person's own words, instead of the options or besides them. */
  readonly text?: string;
}

export interface AnswerApproval {
  readonly decision: "approved" | "rejected";
  /** For the agent, when it was rejected. */
  readonly reason?: string;
  /** Allow this for the rest of the session too: the id of one of the request's `grants`. Only with an approval. */
  readonly grant?: string;
  /** The first of the request's `grants`, if it has any; the answer says whether it had. */
  readonly remember?: boolean;
}

/** What became of an answer to an approval. */
export interface AnsweredApproval {
  /** What is allowed for the rest of the session from now on. */
  readonly granted?: GrantView;
  /** Why nothing is, although that was asked for. */
  readonly notGranted?: string;
}

export const exportFormats = ["ndjson", "markdown", "html", "seed"] as const;
/** `ndjson` can be imported again; `seed` is one `{id, chatId, timestamp, type, subtype, payload, raw}` per line. */
export type ExportFormat = (typeof exportFormats)[number];

export interface ConnectTest {
  readonly door: "openai" | "responses" | "anthropic";
}

export interface ConnectTestResult {
  readonly ok: boolean;
  /** What the door answered, or why it did not. */
  readonly detail: string;
  readonly durationMs: number;
}
