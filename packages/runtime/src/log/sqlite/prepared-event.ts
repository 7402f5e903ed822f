import type { EventEntry, StoredEvent } from "../event-store.ts";
import type { SaidPiece } from "../search/said-pieces.ts";
import { cutRaw } from "../stored-event.ts";

/** Characters that cost about as much in a commit as an event itself. */
const CHARACTERS_PER_EVENT = 512;
/** Indexing a text takes longer than writing it. */
const CHARACTERS_INDEXED_PER_EVENT = 128;

/** An event prepared outside the transaction: serialised, its raw line cut. */
export interface PreparedEvent {
  readonly stored: Omit<StoredEvent, "sessionId" | "seq" | "at"> & { readonly at?: number };
  readonly data: string;
}

export function prepareEvent({ turnId, event, at, ...rest }: EventEntry, rawMaxBytes: number): PreparedEvent {
  const stored = { turnId, event, ...cutRaw(rest, rawMaxBytes) };
  return { stored: at === undefined ? stored : { ...stored, at }, data: JSON.stringify(event) };
}

/** A long event weighs as much as several. */
export function weightOf(prepared: readonly PreparedEvent[]): number {
  return prepared.reduce((sum, { data }) => sum + 1 + data.length / CHARACTERS_PER_EVENT, 0);
}

/** The weight of a turn's start by its prompt, before it is prepared; 0 for any other event. */
export function weightOfStart(entry: EventEntry | undefined): number {
  if (entry?.event.type !== "turn-start") return 0;
  return 1 + (entry.event.prompt?.length ?? 0) / CHARACTERS_PER_EVENT;
}

export function weightOfPieces(pieces: readonly SaidPiece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length / CHARACTERS_INDEXED_PER_EVENT, 1);
}
