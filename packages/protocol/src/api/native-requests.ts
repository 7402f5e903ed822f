import type { LaneName } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { GrantView, PermissionWord } from "./session-view.ts";

/** Request bodies of the native door's commands. With an `idempotency-key` header, a command is carried out once per key. */
export interface CreateSession {
  /** Default: the gateway's own default, else a new empty directory. */
  readonly workspace?: string;
  /** Work in a new Git worktree, on its own branch, of the repository that contains the workspace. */
  readonly worktree?: boolean;
  readonly title?: string;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly permission?: PermissionWord;
  /** Applies to all its turns; a single turn can ask for more. Default: the gateway's setting. */
  readonly sandbox?: SandboxWord;
  /** In a fleet: the machine to create it on. Default: one that has the directory. */
  readonly machine?: string;
}

export interface ChangeSession {
  readonly title?: string;
  readonly archived?: boolean;
  readonly pinned?: boolean;
  readonly permission?: PermissionWord;
  readonly sandbox?: SandboxWord;
  readonly model?: string;
  /** Lane of later turns. An agent without a chat of this session is given the transcript. */
  readonly lane?: LaneName;
}

export interface ForkSession {
  /** Copy events up to and including this one, which must end a turn; 0 copies nothing. Default: everything. */
  readonly throughSeq?: number;
  readonly title?: string;
}

/** An MCP server: a program to start in the session's workspace, or a URL. */
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
  /** The strictest of this, the session's and the gateway's setting applies. */
  readonly sandbox?: SandboxWord;
}

/** One hunk of a changed file, including its `@@` line, exactly as the changes show it. */
export interface DiscardHunk {
  readonly path: string;
  readonly hunk: string;
}

export interface CommitChanges {
  readonly message: string;
  /** Paths relative to the workspace: exactly these files are committed, as they are on disk. */
  readonly paths: readonly string[];
  /** A new branch for the commit. Default: the branch checked out. */
  readonly branch?: string;
}

export interface CommittedChanges {
  readonly commit: string;
  /** Absent if no branch is checked out. */
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
  /** Omitted: the question is skipped. */
  readonly answers?: readonly QuestionChoice[];
}

export interface QuestionChoice {
  readonly questionId: string;
  readonly optionIds: readonly string[];
  /** Free text, instead of or in addition to the options. */
  readonly text?: string;
}

export interface AnswerApproval {
  readonly decision: "approved" | "rejected";
  /** Told to the agent after a rejection. */
  readonly reason?: string;
  /** Also allow this for the rest of the session: the id of one of the request's `grants`. Approvals only. */
  readonly grant?: string;
  /** Shorthand for the first of the request's `grants`, if any; the response says whether it had one. */
  readonly remember?: boolean;
}

/** Result of answering an approval. */
export interface AnsweredApproval {
  /** What is now allowed for the rest of the session. */
  readonly granted?: GrantView;
  /** Why the requested grant was not made. */
  readonly notGranted?: string;
}

export const exportFormats = ["ndjson", "markdown", "html", "seed"] as const;
/** `ndjson` can be imported again; `seed` has one `{id, chatId, timestamp, type, subtype, payload, raw}` per line. */
export type ExportFormat = (typeof exportFormats)[number];

export interface ConnectTest {
  readonly door: "openai" | "responses" | "anthropic";
}

export interface ConnectTestResult {
  readonly ok: boolean;
  /** The door's answer, or why it failed. */
  readonly detail: string;
  readonly durationMs: number;
}
