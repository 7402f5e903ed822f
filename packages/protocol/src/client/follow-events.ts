import type { FollowedEditorRequest } from "../api/editor-requests.ts";
import type { EventEnvelope, SessionUpdate } from "../api/session-view.ts";
import { CaretError } from "../errors/caret-error.ts";
import { parseJson } from "../json/json.ts";
import type { StreamBatch } from "./follow-stream.ts";

/** Opens the stream; `last` says at every attempt after which event to go on. */
type Connect = (last: () => number) => AsyncIterable<StreamBatch>;

/**
 * Every event after `after`, once and in order. The gateway numbers them without a gap, so that a gap or a line that
 * cannot be read is a broken connection: it is opened again after the last good event. Twice at the same event is no
 * accident, and rejects.
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

/** Those that go on from `last` without a gap; what is known already is dropped. */
function nextEvents(envelopes: readonly (EventEnvelope | undefined)[], last: number): readonly EventEnvelope[] {
  const events: EventEnvelope[] = [];
  for (const envelope of envelopes) {
    const expected = last + events.length + 1;
    if (envelope === undefined || envelope.seq > expected) break;
    if (envelope.seq === expected) events.push(envelope);
  }
  return events;
}

/** `opened`: from here on nothing is missed; for what was before it, read the list of sessions. */
export type FollowedUpdate = SessionUpdate | { readonly kind: "opened" };

export async function* followUpdates(
  stream: AsyncIterable<StreamBatch>,
): AsyncGenerator<readonly FollowedUpdate[], void> {
  for await (const messages of stream) {
    if (messages === undefined) yield [{ kind: "opened" }];
    else yield messages.flatMap(({ data }) => (parseJson(data) as SessionUpdate | undefined) ?? []);
  }
}

/** Each connection begins with a `ready`: what was asked over the one before it nobody waits for. */
export async function* followEditor(
  stream: AsyncIterable<StreamBatch>,
): AsyncGenerator<readonly FollowedEditorRequest[], void> {
  for await (const messages of stream)
    yield (messages ?? []).flatMap(({ data }) => (parseJson(data) as FollowedEditorRequest | undefined) ?? []);
}
