import type { FollowedEditorRequest } from "../api/editor-requests.ts";
import type { EventEnvelope, SessionUpdate } from "../api/session-view.ts";
import { CaretError } from "../errors/caret-error.ts";
import { parseJson } from "../json/json.ts";
import type { StreamBatch } from "./follow-stream.ts";

/** Opens the stream; each attempt resumes after the event `last` returns. */
type Connect = (last: () => number) => AsyncIterable<StreamBatch>;

/**
 * Yields every event after `after`, once and in order. The gateway numbers events without gaps, so a gap or an unreadable line means a
 * broken connection: it is reopened after the last good event. A second break at the same event is no accident, and rejects.
 */
export async function* followEvents(after: number, connect: Connect): AsyncGenerator<readonly EventEnvelope[], void> {
  const cursor = { last: after };
  let tornAt: number | undefined;
  while (yield* readUntilTorn(cursor, connect)) {
    if (tornAt === cursor.last)
      throw new CaretError("protocol-violation", `What comes after event ${tornAt} of this session cannot be read`);
    tornAt = cursor.last;
  }
}

async function* readUntilTorn(
  cursor: { last: number },
  connect: Connect,
): AsyncGenerator<readonly EventEnvelope[], boolean> {
  for await (const messages of connect(() => cursor.last)) {
    const envelopes = (messages ?? []).map(({ data }) => parseJson(data) as EventEnvelope | undefined);
    const events = nextEvents(envelopes, cursor.last);
    cursor.last += events.length;
    if (events.length > 0) yield events;
    if (envelopes.some((envelope) => envelope === undefined || envelope.seq > cursor.last)) return true;
  }
  return false;
}

/** The events that continue `last` without a gap; known ones are dropped. */
function nextEvents(envelopes: readonly (EventEnvelope | undefined)[], last: number): readonly EventEnvelope[] {
  const events: EventEnvelope[] = [];
  for (const envelope of envelopes) {
    const expected = last + events.length + 1;
    if (envelope === undefined || envelope.seq > expected) break;
    if (envelope.seq === expected) events.push(envelope);
  }
  return events;
}

/** `opened`: from here on no update is missed; for earlier state, read the list of sessions. */
export type FollowedUpdate = SessionUpdate | { readonly kind: "opened" };

export async function* followUpdates(
  stream: AsyncIterable<StreamBatch>,
): AsyncGenerator<readonly FollowedUpdate[], void> {
  for await (const messages of stream) {
    if (messages === undefined) yield [{ kind: "opened" }];
    else yield messages.flatMap(({ data }) => (parseJson(data) as SessionUpdate | undefined) ?? []);
  }
}

/** Each connection begins with `ready`: requests made over the previous one no longer have anyone waiting. */
export async function* followEditor(
  stream: AsyncIterable<StreamBatch>,
): AsyncGenerator<readonly FollowedEditorRequest[], void> {
  for await (const messages of stream)
    yield (messages ?? []).flatMap(({ data }) => (parseJson(data) as FollowedEditorRequest | undefined) ?? []);
}
