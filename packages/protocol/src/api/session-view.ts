import type { AgentEvent, AgentEventOf, GrantOffer, LaneName, TurnOutcome } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { PriceRow } from "../models/price-table.ts";
import type { Usage } from "../usage/usage.ts";

/** A committed event. `seq` is dense within the session; readers resume from it. */
export interface EventEnvelope {
  readonly sessionId: string;
  readonly seq: number;
  readonly turnId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: AgentEvent;
  /** The upstream line, if requested and if the event has one. */
  readonly raw?: string;
  /** `raw` is truncated; only its beginning is here. */
  readonly rawCut?: true;
}

/** How much the agent may do without asking, in words for people. */
export const permissionWords = ["supervised", "auto-edits", "auto", "full"] as const;
export type PermissionWord = (typeof permissionWords)[number];

/** Something a person allowed for the rest of a session. */
export interface GrantView extends Omit<GrantOffer, "id"> {
  /** Identifies the grant for revoking it. */
  readonly id: string;
  readonly grantedAt: number;
  /** Number of calls it has allowed. */
  readonly uses: number;
}

/** What a session is doing. `failed` and `ended` describe its last turn; `idle` means it has had none. */
export type SessionStatus =
  | { readonly kind: "idle" }
  | {
      readonly kind: "running";
      readonly turnId: string;
      readonly since: number;
      /** Another process runs the turn (`caret run` in a terminal, say): it can be followed here, but not stopped or steered. */
      readonly elsewhere?: true;
    }
  | {
      readonly kind: "waiting";
      readonly turnId: string;
      readonly since: number;
      /** Who must act before the turn goes on: a person, the client, or the machine with its workspace, which is away. */
      readonly waitsFor: "approval" | "question" | "client" | "machine";
      /** One line about it; for a machine, its name. */
      readonly about: string;
      /** The pending approval with the call as it would run, so lists can offer the decision; absent if large. */
      readonly approval?: AgentEventOf<"approval-request">;
      /** The pending question, so lists can offer the answer; absent if large. */
      readonly question?: AgentEventOf<"question">;
    }
  | { readonly kind: "ended"; readonly turnId: string; readonly at: number; readonly outcome: TurnOutcome["kind"] };

export interface ForkOrigin {
  readonly sessionId: string;
  readonly seq: number;
}

export interface QueuedPrompts {
  readonly count: number;
  readonly at: number;
}

/** A session as shown in lists: nothing that requires reading its whole log. */
export interface SessionView {
  readonly id: string;
  readonly title: string;
  readonly workspace: string;
  /** The workspace is an empty directory created by Caret. */
  readonly scratch?: true;
  /** The user who owns the session. If absent, the gateway's own user. */
  readonly user?: string;
  /** Name of the agent this session belongs to. */
  readonly agent?: string;
  /** Since when a message of its agent to a person has been waiting (the agent's `toHuman`); absent if none waits. */
  readonly asksSince?: number;
  /** The session it was copied from, and up to which event. */
  readonly forkedFrom?: ForkOrigin;
  /** Number of queued prompts, and when the newest was added or changed; absent if the queue is empty. */
  readonly queued?: QueuedPrompts;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly permission: PermissionWord;
  /** Minimum sandbox of its turns. If absent, only the gateway's setting applies. */
  readonly sandbox?: SandboxWord;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archived: boolean;
  /** Shown at the top of the list. */
  readonly pinned?: true;
  readonly imported?: true;
  /** `seq` of its newest event; 0 if it has none. */
  readonly lastSeq: number;
  /** First line of the latest text of either side. */
  readonly lastLine: string;
  /** Total over all its turns, loaded or not. The cost is absent unless it is known for every turn. */
  readonly usage?: Usage;
  readonly status: SessionStatus;
}

const SIDE_CALL = "Side call: ";

/** Title of a session that a client began outside a conversation: for a title, a summary or a test. */
export function sideCallTitle(title: string): string {
  return SIDE_CALL + title;
}

/** Lists hide side calls: only their client reads them, once. */
export function isSideCall({ title }: Pick<SessionView, "title">): boolean {
  return title.startsWith(SIDE_CALL);
}

export interface SessionPageView {
  /** Most recently updated first. */
  readonly sessions: readonly SessionView[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** An update on the stream of all sessions; a list that applies them needs no polling. */
export type SessionUpdate =
  | { readonly kind: "changed"; readonly session: SessionView }
  | { readonly kind: "deleted"; readonly sessionId: string };

export const saidKinds = ["prompt", "answer", "thinking", "plan", "question", "steering", "call"] as const;
/** What kind of text was said. For a call, its command, path or URL; tool output is not searched. */
export type SaidKind = (typeof saidKinds)[number];

/** Part of a text, with the matches of a search marked. */
export interface Excerpt {
  readonly text: string;
  /** Start and end of each match in UTF-16 units, ascending and disjoint. */
  readonly marks: readonly (readonly [from: number, to: number])[];
}

export interface FoundPlace {
  readonly sessionId: string;
  /** The session's title. */
  readonly title: string;
  readonly workspace: string;
  readonly archived: boolean;
  readonly turnId: string;
  readonly kind: SaidKind;
  /** The event where it begins. */
  readonly seq: number;
  readonly at: number;
  readonly excerpt: Excerpt;
}

export interface SearchView {
  /** Newest first. */
  readonly places: readonly FoundPlace[];
  /** Absent on the last page. */
  readonly next?: number;
  /** Number of sessions that are not fully indexed yet. */
  readonly behind: number;
}

export interface ModelView {
  readonly id: string;
  readonly name: string;
  readonly isDefault: boolean;
  /** Presets of effort, thinking and speed; each id can be requested like a model id. */
  readonly variants: readonly { readonly id: string; readonly label: string }[];
  /** Context window in tokens, if upstream reports it. */
  readonly contextTokens?: number;
  /** Turns run in Max mode, which costs more. */
  readonly maxMode?: true;
}

export interface UsageRow {
  /** A day in UTC, `2026-11-15`. */
  readonly day: string;
  readonly model: string;
  /** Absent for turns recorded by an earlier Caret whose session was deleted. */
  readonly lane?: LaneName;
  readonly sessionId: string;
  /** The session's title; absent if the session was deleted since. */
  readonly title?: string;
  /** Name of the client that asked, in rows grouped by client. */
  readonly client?: string;
  /** The user who owned the session. If absent, the gateway's own user. */
  readonly user?: string;
  readonly turns: number;
  /** Number of turns the cost leaves out because their price is unknown. */
  readonly unpricedTurns: number;
  /** The cost sums the turns' costs: as upstream reported them, else by Cursor's list prices. */
  readonly usage: Usage;
}

export interface FindingView {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  /** The command that fixes it. */
  readonly fix?: string;
  /** Why it matters; absent if nothing is wrong. */
  readonly why?: string;
  /** `caret doctor --fix` can apply the fix. */
  readonly fixable?: true;
}

export interface ChangedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "untracked";
  readonly oldPath?: string;
  readonly additions?: number;
  readonly deletions?: number;
  /** A unified diff; absent if the file is binary or too large to show. */
  readonly unified?: string;
}

/** Link for opening a pull request on the repository's host, and the command that pushes the branch. */
export interface CompareLink {
  readonly url: string;
  /** The command to run first: Caret itself pushes nothing. */
  readonly push: string;
}

export interface ChangesView {
  readonly isRepository: boolean;
  readonly branch?: string;
  /** Base of the diff: the workspace at the start of the session, or the last commit. Default: the last commit. */
  readonly since?: "session" | "commit";
  /** When the session began; set for `session`. */
  readonly sinceAt?: number;
  readonly compare?: CompareLink;
  readonly files: readonly ChangedFile[];
  /** Number of changed files beyond the listing limit. */
  readonly omitted: number;
}

/** Where a symbol is defined. */
export interface SymbolView {
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
  readonly line: number;
}

/** A `/` command of the agent itself. */
export interface AgentCommandView {
  /** Without the slash. */
  readonly name: string;
  /** Where it comes from: a file of the workspace, a file of the user, or the agent's own announcement. */
  readonly source: "workspace" | "user" | "agent";
  readonly description: string;
  /** The prompt it stands for. If absent, the agent knows the command by name. */
  readonly text?: string;
}

/** Editors with URL schemes that open files: `vscode://file/…`. */
export const editorNames = ["vscode", "cursor", "zed"] as const;
export type EditorName = (typeof editorNames)[number];

/** What the page needs before it can show anything. */
export interface AboutView {
  readonly version: string;
  /** Name of the token this request authenticated with. */
  readonly tokenName: string;
  /** The user the token belongs to. If absent, the gateway's own user. */
  readonly user?: string;
  /** The token sees the sessions of all users. */
  readonly seesAll?: true;
  readonly lanes: readonly {
    readonly lane: LaneName;
    readonly ready: boolean;
    readonly simulated: boolean;
    readonly detail?: string;
    /** Its agent receives images directly, whichever side runs the tools. */
    readonly takesImages?: true;
  }[];
  readonly defaultLane: LaneName;
  readonly defaultModel: string;
  readonly defaultPermission: PermissionWord;
  readonly defaultWorkspace?: string;
  /** Directories sessions can work in: the allowed ones, and recently used ones within them. */
  readonly workspaces: readonly string[];
  /** Whether agents run in a sandbox here, in words. */
  readonly sandbox: string;
  /** Rows of the user's `prices.json`, so the page computes the same costs as the gateway. Absent if there are none. */
  readonly prices?: readonly PriceRow[];
  /** The gateway is part of a fleet: an administrator's token sees its machines and its queue. */
  readonly fleet?: true;
  /** Editor that opens paths, for a browser on this machine. If absent, paths are not links. */
  readonly editor?: EditorName;
}
