import { CaretError } from "../caret-error.ts";
import { parseJson } from "./native-wire.ts";
import type { EventEnvelope } from "./session-view.ts";
import type { SseMessage } from "./sse-messages.ts";

/** Opens the stream; the headers say at every attempt where to go on. */
type Connect = (headers: () => Readonly<Record<string, string>>) => AsyncIterable<readonly SseMessage[] | undefined>;

/**
 * Every event after `after`, once and in order. The gateway numbers them without a gap, so that a gap or a line that
 * cannot be read is a broken connection: it is opened anew after the last good event. Twice at the same place is no
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
  for await (const messages of connect(() => ({ "last-event-id": String(cursor.last) }))) {
    if (messages === undefined) continue;
    const events = nextEvents(messages, cursor.last);
    cursor.last += events.length;
    if (events.length > 0) yield events;
    if (messages.some((message) => !isKnown(message, cursor.last))) return true;
  }
  return false;
}

/** Those that go on from `last` without a gap; what is known already is dropped. */
function nextEvents(messages: readonly SseMessage[], last: number): readonly EventEnvelope[] {
  const events: EventEnvelope[] = [];
  for (const { data } of messages) {
    const envelope = parseJson(data) as EventEnvelope | undefined;
    const expected = last + events.length + 1;
    if (envelope === undefined || envelope.seq > expected) break;
    if (envelope.seq === expected) events.push(envelope);
  }
  return events;
}

function isKnown({ id }: SseMessage, last: number): boolean {
  return Number(id) <= last;
}
