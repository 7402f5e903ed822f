import { type EventEnvelope, emptyTranscript, foldTranscript, type Transcript } from "@caret/protocol";

/** A part of a session's log without a gap, folded. */
export interface LogWindow {
  readonly transcript: Transcript;
  /** The events of the first turn as long as its start is missing: with older ones before them they are folded again. */
  readonly head: readonly EventEnvelope[];
}

export const emptyLogWindow: LogWindow = { transcript: emptyTranscript, head: [] };

/** Newer events come behind it. */
export function appendEvents({ transcript, head }: LogWindow, events: readonly EventEnvelope[]): LogWindow {
  const folded = foldTranscript(transcript, events);
  const [first] = folded.turns;
  if (first === undefined || first.start !== undefined) return { transcript: folded, head: [] };
  const more = events.filter(({ turnId, seq }) => turnId === first.turnId && seq > transcript.lastSeq);
  return { transcript: folded, head: more.length === 0 ? head : [...head, ...more] };
}

/** Older events come before it. Turns that were whole keep their identity. */
export function prependEvents({ transcript, head }: LogWindow, older: readonly EventEnvelope[]): LogWindow {
  const before = firstSeq(transcript);
  const events = older.filter(({ seq }) => before === undefined || seq < before);
  const earlier = appendEvents(emptyLogWindow, [...events, ...head]);
  const whole = head.length === 0 ? transcript.turns : transcript.turns.slice(1);
  const lastSeq = Math.max(transcript.lastSeq, earlier.transcript.lastSeq);
  return { transcript: { lastSeq, turns: [...earlier.transcript.turns, ...whole] }, head: earlier.head };
}

export function firstSeq({ turns }: Transcript): number | undefined {
  return turns[0]?.firstSeq;
}

/** Fewer than fill a screen, so that the first of them is in sight. */
const FEW_ITEMS = 8;

/** It is hardly more than the end of one long answer: without its beginning, Markdown is read wrongly. */
export function isCutShort({ transcript: { turns }, head }: LogWindow): boolean {
  const items = turns[0]?.items ?? [];
  return head.length > 0 && turns.length === 1 && items.length < FEW_ITEMS && items[0]?.kind === "text";
}

/** Events are numbered from 1. */
export function hasOlder({ transcript }: LogWindow): boolean {
  return (firstSeq(transcript) ?? 1) > 1;
}
