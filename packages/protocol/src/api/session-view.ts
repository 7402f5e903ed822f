import type { AgentEvent, AgentEventOf, GrantOffer, LaneName, TurnOutcome } from "../events/agent-event.ts";
import type { SandboxWord } from "../events/sandbox-word.ts";
import type { PriceRow } from "../models/price-table.ts";
import type { Usage } from "../usage/usage.ts";

/** One event as it was committed. `seq` is dense within the session: it is the cursor a reader resumes from. */
export interface EventEnvelope {
  readonly sessionId: string;
  readonly seq: number;
  readonly turnId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: AgentEvent;
  /** The upstream line, when it was asked for and there is one. */
  readonly raw?: string;
  /** `raw` is only the beginning of the line. */
  readonly rawCut?: true;
}

/** How much happens without asking, in words for people. */
export const permissionWords = ["supervised", "auto-edits", "auto", "full"] as const;
export type PermissionWord = (typeof permissionWords)[number];

/** What a person has allowed for the rest of a session. */
export interface GrantView extends Omit<GrantOffer, "id"> {
  /** Names it when it is revoked. */
  readonly id: string;
  readonly grantedAt: number;
  /** How many calls it has allowed. */
  readonly uses: number;
}

/** What a session is doing now. `failed` and `ended` say how its last turn went; `idle` is a session without any. */
export type SessionStatus =
  | { readonly kind: "idle" }
  | {
      readonly kind: "running";
      readonly turnId: string;
      readonly since: number;
      /** Another process runs it, `caret run` in a terminal for one: it can be followed here, not stopped or steered. */
      readonly elsewhere?: true;
    }
  | {
      readonly kind: "waiting";
      readonly turnId: string;
      readonly since: number;
      /** Who has to act before it goes on: a person, the client, or the machine that has its workspace, which is away. */
      readonly waitsFor: "approval" | "question" | "client" | "machine";
      /** One line about it; of a machine its name. */
      readonly about: string;
      /** The approval that waits, as it would run, so that it can be decided from a list; absent when it is large. */
      readonly approval?: AgentEventOf<"approval-request">;
      /** The question that waits, so that it can be answered from a list; absent when it is large. */
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

/** A session as lists show it: nothing that would need its whole log. */
export interface SessionView {
  readonly id: string;
  readonly title: string;
  readonly workspace: string;
  /** The workspace is an empty directory that Caret has made for it. */
  readonly scratch?: true;
  /** The user whose session it is; absent: that of the person whose gateway it is. */
  readonly user?: string;
  /** The name of the agent whose session it is. */
  readonly agent?: string;
  /** Since when something waits that the agent said to a person (`toHuman` of the agent); absent: nothing does. */
  readonly asksSince?: number;
  /** The session that it was copied from, through which event. */
  readonly forkedFrom?: ForkOrigin;
  /** How many prompts wait for its turns, and when the newest of them came or was changed; absent: none. */
  readonly queued?: QueuedPrompts;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly permission: PermissionWord;
  /** What its turns ask for at least; absent: the gateway's setting alone counts. */
  readonly sandbox?: SandboxWord;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archived: boolean;
  /** Shown on top of the list. */
  readonly pinned?: true;
  readonly imported?: true;
  /** The `seq` of its newest event, 0 when there is none. */
  readonly lastSeq: number;
  /** The first line of what was said last, by either side. */
  readonly lastLine: string;
  /** What all its turns consumed, those that are not loaded too. Its cost is absent unless each of them has a known one. */
  readonly usage?: Usage;
  readonly status: SessionStatus;
}

const SIDE_CALL = "Side call: ";

/** The name of a session that a client has begun beside a conversation: for a title, a summary, a test. */
export function sideCallTitle(title: string): string {
  return SIDE_CALL + title;
}

/** Lists leave them out: they are read once, by the client. */
export function isSideCall({ title }: Pick<SessionView, "title">): boolean {
  return title.startsWith(SIDE_CALL);
}

export interface SessionPageView {
  /** Most recently updated first. */
  readonly sessions: readonly SessionView[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** What a stream of all sessions says: a list that is kept up with it needs no polling. */
export type SessionUpdate =
  | { readonly kind: "changed"; readonly session: SessionView }
  | { readonly kind: "deleted"; readonly sessionId: string };

export const saidKinds = ["prompt", "answer", "thinking", "plan", "question", "steering", "call"] as const;
/** As what something was said. Of a call it is the command, path or address; what tools put out is not searched. */
export type SaidKind = (typeof saidKinds)[number];

/** A part of a text, with the places in it that a search was for. */
export interface Excerpt {
  readonly text: string;
  /** From and to, in UTF-16 units, in their order; they do not overlap. */
  readonly marks: readonly (readonly [from: number, to: number])[];
}

export interface FoundPlace {
  readonly sessionId: string;
  /** Of the session. */
  readonly title: string;
  readonly workspace: string;
  readonly archived: boolean;
  readonly turnId: string;
  readonly kind: SaidKind;
  /** The event that it begins with. */
  readonly seq: number;
  readonly at: number;
  readonly excerpt: Excerpt;
}

export interface SearchView {
  /** The newest first. */
  readonly places: readonly FoundPlace[];
  /** Absent on the last page. */
  readonly next?: number;
  /** How many sessions have something that is not indexed yet. */
  readonly behind: number;
}

export interface ModelView {
  readonly id: string;
  readonly name: string;
  readonly isDefault: boolean;
  /** Ready-made choices of effort, thinking and speed; each id can be asked for like a model's. */
  readonly variants: readonly { readonly id: string; readonly label: string }[];
  /** How much it takes at once, where upstream says so. */
  readonly contextTokens?: number;
  /** Turns run in Max mode, which costs more. */
  readonly maxMode?: true;
}

export interface UsageRow {
  /** A day in UTC, `2026-11-15`. */
  readonly day: string;
  readonly model: string;
  /** Absent for turns of an earlier Caret whose session is gone. */
  readonly lane?: LaneName;
  readonly sessionId: string;
  /** The session's; absent when it was deleted since. */
  readonly title?: string;
  /** Who asked, in rows by client. */
  readonly client?: string;
  /** The user whose session it was; absent: that of the person whose gateway it is. */
  readonly user?: string;
  readonly turns: number;
  /** How many of the turns the cost leaves out, since their price is unknown. */
  readonly unpricedTurns: number;
  /** The cost is the sum of what each turn cost: what upstream named, else by Cursor's list prices. */
  readonly usage: Usage;
}

export interface FindingView {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to type against it. */
  readonly fix?: string;
  /** Why it matters; absent when nothing is wrong. */
  readonly why?: string;
  /** `caret doctor --fix` applies the fix. */
  readonly fixable?: true;
}

export interface ChangedFile {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "untracked";
  readonly oldPath?: string;
  readonly additions?: number;
  readonly deletions?: number;
  /** A unified diff; absent when the file is binary or too large to show. */
  readonly unified?: string;
}

/** Where the host of a repository proposes a pull request, and what brings the branch there. */
export interface CompareLink {
  readonly url: string;
  /** What to type first: nothing is pushed by Caret. */
  readonly push: string;
}

export interface ChangesView {
  readonly isRepository: boolean;
  readonly branch?: string;
  /** What the files differ from: the workspace when the session began, or the last commit; absent: the last commit. */
  readonly since?: "session" | "commit";
  /** When the session began, for `session`. */
  readonly sinceAt?: number;
  readonly compare?: CompareLink;
  readonly files: readonly ChangedFile[];
  /** How many changed files are not listed because there are too many. */
  readonly omitted: number;
}

/** Where something of a name is defined. */
export interface SymbolView {
  readonly name: string;
  /** From the workspace. */
  readonly path: string;
  readonly line: number;
}

/** A `/` command of the agent's own. */
export interface AgentCommandView {
  /** Without the slash. */
  readonly name: string;
  /** Where it comes from: a file of the workspace's or the user's, or what the agent itself has announced. */
  readonly source: "workspace" | "user" | "agent";
  readonly description: string;
  /** What it says to the agent; absent: the agent knows the command by its name. */
  readonly text?: string;
}

/** Editors that open files by links of their own: `vscode://file/…`. */
export const editorNames = ["vscode", "cursor", "zed"] as const;
export type EditorName = (typeof editorNames)[number];

/** What the page must know before it shows anything. */
export interface AboutView {
  readonly version: string;
  /** Whom the gateway takes us for. */
  readonly tokenName: string;
  /** The user that the token belongs to; absent: the person whose gateway it is. */
  readonly user?: string;
  /** The token sees the sessions of every user. */
  readonly seesAll?: true;
  readonly lanes: readonly {
    readonly lane: LaneName;
    readonly ready: boolean;
    readonly simulated: boolean;
    readonly detail?: string;
    /** Its agent is given images as they are, whichever side runs its tools. */
    readonly takesImages?: true;
  }[];
  readonly defaultLane: LaneName;
  readonly defaultModel: string;
  readonly defaultPermission: PermissionWord;
  readonly defaultWorkspace?: string;
  /** Where sessions may work: the allowed directories, and those used lately within them. */
  readonly workspaces: readonly string[];
  /** Whether agents run inside a sandbox here, in words. */
  readonly sandbox: string;
  /** Rows of the user's `prices.json`, so that the page reckons as the gateway does; absent: none. */
  readonly prices?: readonly PriceRow[];
  /** The gateway is part of a fleet: an administrator's token sees its machines and its queue. */
  readonly fleet?: true;
  /** What paths open in, for a browser on this machine; absent: in nothing. */
  readonly editor?: EditorName;
}
