import type { EventEnvelope } from "../api/session-view.ts";
import type { Transcript, TranscriptTurn } from "./transcript.ts";
import { TurnFold } from "./turn-fold.ts";

/**
 * Folds a batch of committed events, in order, into the transcript. Used by exports and the web page; a turn's summary is read off its turn
 * here, or off a `TurnFold` if there is only one turn.
 *
 * Events whose `seq` is already included are dropped, and the result does not depend on how events are batched. Turns and items that a
 * batch does not touch keep their identity, so a page can skip them; touched ones are copied once per batch, not once per event.
 */
export function foldTranscript(transcript: Transcript, events: readonly EventEnvelope[]): Transcript {
  const folds = new Map<string, { readonly index: number; readonly fold: TurnFold }>();
  const turns: TranscriptTurn[] = [...transcript.turns];
  let lastSeq = transcript.lastSeq;
  for (const { seq, at, turnId, event } of events) {
    if (seq <= lastSeq) continue;
    lastSeq = seq;
    const touched = folds.get(turnId) ?? openFold(turns, turnId, seq, at);
    folds.set(turnId, touched);
    touched.fold.add(event, seq, at);
  }
  if (lastSeq === transcript.lastSeq) return transcript;
  for (const { index, fold } of folds.values()) turns[index] = fold.turn;
  return { lastSeq, turns };
}

function openFold(turns: TranscriptTurn[], turnId: string, seq: number, at: number) {
  const known = turns.findLastIndex((turn) => turn.turnId === turnId);
  const index = known === -1 ? turns.length : known;
  turns[index] ??= { turnId, firstSeq: seq, lastSeq: seq, startedAt: at, lastAt: at, items: [] };
  return { index, fold: new TurnFold(turns[index]) };
}
