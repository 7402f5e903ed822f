import type { AgentEvent, AgentEventOf, EventEnvelope, NativeClient } from "@caret/protocol";

const PATIENCE_MS = 20_000;

/** The first event of this type after `after`, as soon as it is there. */
export async function eventOf<Type extends AgentEvent["type"]>(
  caret: NativeClient,
  sessionId: string,
  type: Type,
  after = 0,
): Promise<EventEnvelope & { readonly event: AgentEventOf<Type> }> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for await (const events of caret.followEvents(sessionId, { after, signal }))
    for (const envelope of events) if (isOf(envelope, type)) return envelope;
  throw new Error(`No ${type} came within ${PATIENCE_MS} ms`);
}

function isOf<Type extends AgentEvent["type"]>(
  envelope: EventEnvelope,
  type: Type,
): envelope is EventEnvelope & { readonly event: AgentEventOf<Type> } {
  return envelope.event.type === type;
}

/** Starts a turn, waits for its end, and gives what happened in it. */
export async function playTurn(
  caret: NativeClient,
  sessionId: string,
  prompt: string,
): Promise<readonly EventEnvelope[]> {
  const { firstSeq } = await caret.startTurn(sessionId, { prompt });
  await eventOf(caret, sessionId, "turn-end", firstSeq);
  return (await caret.readLog(sessionId, { after: firstSeq - 1, limit: 10_000 })).events;
}

export function textOf(events: readonly EventEnvelope[]): string {
  return events.map(({ event }) => (event.type === "text-delta" ? event.text : "")).join("");
}
