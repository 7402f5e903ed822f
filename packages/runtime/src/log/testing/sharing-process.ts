/**
 * One of the processes of the sharing test. It prints `ready`, waits for a line, and then does its task on the log of the directory, as a
 * guest unless its argument makes it the gateway. Each line it prints is something that has happened.
 */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { CaretError } from "@caret/protocol";
import type { EventStore } from "../event-store.ts";
import { interruptRunningTurns } from "../interrupted-end.ts";
import { openSqliteEventStore } from "../sqlite/sqlite-event-store.ts";

const STDOUT = 1;
const [, , directory = "", task = "", name = "", sessionId = "", count = "1"] = process.argv;

const tasks: Readonly<Record<string, (store: EventStore) => Promise<void>>> = {
  /** Appends this many events to the session, from wherever it is by then. */
  async write(store) {
    await ensureSession(store);
    let written = 0;
    while (written < Number(count)) written += await tryAppend(store, `${name}-${written}`);
  },

  /** Starts a turn and stays in the middle of it. */
  async turn(store) {
    await ensureSession(store);
    const event = { type: "turn-start", turnId: name, lane: "sim" } as const;
    await store.append(sessionId, 0, [{ turnId: name, event }]);
    say("started");
    await farewell();
  },

  async interrupt(store) {
    for (const turn of await interruptRunningTurns(store)) say(`interrupted ${turn.turnId}`);
  },

  async gateway() {
    say("open");
    await farewell();
  },
};

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
say("ready");
await lines.next();
try {
  const store = openSqliteEventStore({ directory, role: task === "gateway" ? "gateway" : "guest" });
  await tasks[task]?.(store);
  await store.close();
} catch (reason) {
  say(`failed ${CaretError.from(reason).code}`);
  process.exitCode = 1;
}
process.stdin.destroy();

/** Number of events it has appended: 0 if another process was faster. */
async function tryAppend(store: EventStore, text: string): Promise<number> {
  const lastSeq = (await store.getSession(sessionId))?.lastSeq ?? 0;
  try {
    await store.append(sessionId, lastSeq, [{ turnId: "t1", event: { type: "text-delta", blockId: "b1", text } }]);
    say(`${lastSeq + 1} ${text}`);
    return 1;
  } catch (reason) {
    if (CaretError.is(reason) && reason.code === "session-busy") return 0;
    throw reason;
  }
}

async function ensureSession(store: EventStore): Promise<void> {
  try {
    await store.createSession({ id: sessionId, workspace: "/projects/shared", createdAt: Date.now() });
  } catch (reason) {
    if (!CaretError.is(reason) || reason.code !== "invalid-request") throw reason;
  }
}

/** Until the test closes stdin, or kills the process. */
async function farewell(): Promise<void> {
  await lines.next();
}

function say(line: string): void {
  writeSync(STDOUT, `${line}\n`);
}
