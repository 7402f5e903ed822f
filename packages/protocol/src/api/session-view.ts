import type { AgentEvent, AgentEventOf, GrantOffer, LaneName, TurnOutcome } from "../events/agent-event.ts";
import type { PriceRow } from "../models/price-table.ts";
import type { SandboxWord } from "../sandbox-word.ts";
import type { Usage } from "../usage.ts";

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
      /** What a person has to decide before it goes on. */
      readonly waitsFor: "approval" | "question" | "client";
      /** One line about it. */
      readonly about: string;
      /** The approval that waits, as it would run, so that it can be decided from a list; absent when it is large. */
      readonly approval?: AgentEventOf<"approval-request">;
    }
  | { readonly kind: "ended"; readonly turnId: string; readonly at: number; readonly outcome: TurnOutcome["kind"] };

/** A session as lists show it: nothing that would need its whole log. */
export interface SessionView {
  readonly id: string;
  readonly title: string;
  readonly workspace: string;
  /** The workspace is an empty directory that Caret has made for it. */
  readonly scratch?: true;
  /** The name of the agent whose session it is. */
  readonly agent?: string;
  /** Since when something waits that the agent said to a person (`toHuman` of the agent); absent: nothing does. */
  readonly asksSince?: number;
  readonly lane?: LaneName;
  readonly model?: string;
  readonly permission: PermissionWord;
  /** What its turns ask for at least; absent: the gateway's setting alone counts. */
  readonly sandbox?: SandboxWord;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archived: boolean;
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

export interface ChangesView {
  readonly isRepository: boolean;
  readonly branch?: string;
  readonly files: readonly ChangedFile[];
  /** How many changed files are not listed because there are too many. */
  readonly omitted: number;
}

/** What the page must know before it shows anything. */
export interface AboutView {
  readonly version: string;
  /** Whom the gateway takes us for. */
  readonly tokenName: string;
  readonly lanes: readonly {
    readonly lane: LaneName;
    readonly ready: boolean;
    readonly simulated: boolean;
    readonly detail?: string;
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
}
