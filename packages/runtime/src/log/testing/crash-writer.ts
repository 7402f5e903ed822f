/**
 * The victim of the crash test: appends to a few sessions as fast as it can and prints `<session> <seq>` once an
 * append is acknowledged. The test kills it at any moment and then looks for everything that was printed.
 */
import { writeSync } from "node:fs";
import type { AgentEvent } from "@caret/protocol";
import type { EventStore } from "../event-store.ts";
import { openSqliteEventStore } from "../sqlite/sqlite-event-store.ts";

const EVENTS_PER_TURN = 40;
const STDOUT = 1;
const [, , directory = "", appends = "1000000", sessions = "s1,s2,s3"] = process.argv;

const store = openSqliteEventStore({ directory, role: "gateway" });
await Promise.all(sessions.split(",").map((sessionId) => write(store, sessionId, Number(appends))));
await store.close();

async function write(target: EventStore, sessionId: string, count: number): Promise<void> {
  const session =
    (await target.getSession(sessionId)) ??
    (await target.createSession({ id: sessionId, workspace: "/projects/crash", createdAt: Date.now() }));
  let seq = session.lastSeq;
  for (let index = 0; index < count; index += 1) {
    const turnId = `turn-${session.lastSeq}-${Math.floor(index / EVENTS_PER_TURN)}`;
    const events = eventsAt(index % EVENTS_PER_TURN, turnId);
    try {
      const stored = await target.append(
        sessionId,
        seq,
        events.map((event) => ({ turnId, event, raw: "{}" })),
      );
      seq = stored.at(-1)?.seq ?? seq;
      writeSync(STDOUT, `${sessionId} ${seq}\n`);
    } catch (error) {
      writeSync(STDOUT, `refused ${(error as { code?: string }).code}\n`);
      seq = await lastSeqOf(target, sessionId, seq);
    }
  }
}

/** While the disk fails even reading may be refused: then what was known before has to do. */
async function lastSeqOf(target: EventStore, sessionId: string, known: number): Promise<number> {
  return (await target.getSession(sessionId).catch(() => undefined))?.lastSeq ?? known;
}

function eventsAt(place: number, turnId: string): readonly AgentEvent[] {
  if (place === 0)
    return [
      { type: "turn-start", turnId, lane: "sim" },
      { type: "text-start", blockId: turnId },
    ];
  if (place === EVENTS_PER_TURN - 1)
    return [
      { type: "text-end", blockId: turnId },
      { type: "turn-end", outcome: { kind: "completed" } },
    ];
  return [{ type: "text-delta", blockId: turnId, text: "x".repeat(place * 20) }];
}
