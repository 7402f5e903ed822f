import type { EventEnvelope } from "../api/session-view.ts";
import type { Transcript, TranscriptTurn } from "./transcript.ts";
import { TurnFold } from "./turn-fold.ts";

/**
 * Fold a batch of committed events, in their order, into the transcript. Exports and web page use this; what one turn
 * amounts to is read off its turn here, or off a `TurnFold` where there is only one turn.
 *
 * Events whose `seq` is in it already are dropped, and however the events are cut into batches, the same transcript
 * comes out. What a batch does not touch keeps its identity, turns and items alike, so that a page can skip it; what it
 * touches is copied once for the batch, not once for each event.
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
