import {
  CaretError,
  type EventEnvelope,
  emptyTranscript,
  foldTranscript,
  type Transcript,
  type TranscriptItem,
  type TranscriptTurn,
} from "@caret/protocol";
import type { DispatchClient } from "./dispatch-client.ts";

const PAGE = 500;

/** A turn handed to an agent, as far as it has progressed. */
export interface DispatchedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** Includes its events, but not necessarily those of earlier turns. */
  readonly transcript: Transcript;
}

/** A request with which the turn waits for a person. */
export type Ask = Extract<TranscriptItem, { readonly kind: "question" | "approval" }>;

export function turnIn({ turnId, transcript }: DispatchedTurn): TranscriptTurn | undefined {
  return transcript.turns.findLast((turn) => turn.turnId === turnId);
}

/** Open requests, oldest first. */
export function openAsks(turn: DispatchedTurn): readonly Ask[] {
  return (turnIn(turn)?.items ?? []).filter(
    (item): item is Ask => (item.kind === "question" || item.kind === "approval") && item.answer === undefined,
  );
}

export function requestIdOf(ask: Ask): string {
  return ask.kind === "question" ? ask.question.requestId : ask.request.requestId;
}

/** Reads a session's newest turn from its log, backwards. Rejects with `not-found` if there is none. */
export async function readNewestTurn(client: DispatchClient, sessionId: string): Promise<DispatchedTurn> {
  const { status, lastSeq } = await client.getSession(sessionId);
  if (status.kind === "idle")
    throw new CaretError("not-found", `The session ${sessionId} has no turn yet`, {
      fix: "Call `run` or `start` with this session and a prompt.",
    });
  const { turnId } = status;
  let events: readonly EventEnvelope[] = [];
  while (events[0]?.event.type !== "turn-start") {
    const before = events[0]?.seq ?? lastSeq + 1;
    const page = await client.readLog(sessionId, { before, limit: PAGE });
    const own = page.events.filter((envelope) => envelope.turnId === turnId);
    events = [...own, ...events];
    if (own.length < page.events.length || page.events.length === 0) break;
  }
  return { sessionId, turnId, transcript: foldTranscript(emptyTranscript, events) };
}
