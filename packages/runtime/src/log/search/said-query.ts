import type { Excerpt, SaidKind } from "@caret/protocol";
import type { SessionScope } from "../event-store.ts";

export interface SaidQuery extends SessionScope {
  /** Words, and phrases in quotes; words can be prefixes. All of them must occur in one piece. */
  readonly text: string;
  readonly sessionId?: string;
  readonly limit?: number;
  /** The previous page's `next`. */
  readonly before?: number;
}

/** A place where something was said: a prompt, a block of an answer, the command of a call. */
export interface SaidPlace {
  readonly sessionId: string;
  readonly turnId: string;
  readonly kind: SaidKind;
  /** The event it begins with. */
  readonly seq: number;
  readonly at: number;
  readonly excerpt: Excerpt;
}

export interface SaidPage {
  /** The newest first. */
  readonly places: readonly SaidPlace[];
  /** Omitted on the last page. */
  readonly next?: number;
  /** Number of sessions that the next `catchUpSearch` has work for. */
  readonly behind: number;
}

export interface CatchUpOptions {
  /** Only this session, including the words of a turn that still runs. */
  readonly sessionId?: string;
  readonly signal?: AbortSignal;
}
