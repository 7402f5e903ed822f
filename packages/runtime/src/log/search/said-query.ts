import type { Excerpt, SaidKind } from "@caret/protocol";
import type { SessionScope } from "../event-store.ts";

export interface SaidQuery extends SessionScope {
  /** Words, and phrases in quotes; the last letters of a word may be missing. All of them must be said in one piece. */
  readonly text: string;
  readonly sessionId?: string;
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly before?: number;
}

/** A place where something was said: a prompt, a block of an answer, the command of a call. */
export interface SaidPlace {
  readonly sessionId: string;
  readonly turnId: string;
  readonly kind: SaidKind;
  /** The event that it begins with. */
  readonly seq: number;
  readonly at: number;
  readonly excerpt: Excerpt;
}

export interface SaidPage {
  /** The newest first. */
  readonly places: readonly SaidPlace[];
  /** Absent on the last page. */
  readonly next?: number;
  /** How many sessions the next `catchUpSearch` will have something to do with. */
  readonly behind: number;
}

export interface CatchUpOptions {
  /** Only this session, also what a turn that still runs has said. */
  readonly sessionId?: string;
  readonly signal?: AbortSignal;
}
