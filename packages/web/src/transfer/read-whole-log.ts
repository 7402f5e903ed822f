import type { EventEnvelope, NativeClient } from "@caret/protocol";

const PAGE = 5_000;

/** Every event of the session up to now, page by page. */
export async function readWholeLog(
  api: Pick<NativeClient, "readLog">,
  sessionId: string,
  signal: AbortSignal,
): Promise<readonly EventEnvelope[]> {
  const events: EventEnvelope[] = [];
  for (let after = 0; ; ) {
    const page = await api.readLog(sessionId, { after, limit: PAGE }, { signal });
    for (const event of page.events) events.push(event);
    const last = page.events.at(-1);
    if (last === undefined || last.seq >= page.lastSeq) return events;
    after = last.seq;
  }
}
