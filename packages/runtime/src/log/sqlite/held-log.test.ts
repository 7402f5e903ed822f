import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventEntry, EventStore, LogWriter } from "../event-store.ts";
import { LOG_FILE, openSqliteEventStore } from "./sqlite-event-store.ts";

let directory: string;
let store: EventStore;
let other: DatabaseSync;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "caret-held-"));
  store = openSqliteEventStore({ directory, role: "gateway", heldMs: 150 });
  await store.createSession({ id: "s1", workspace: "/", createdAt: 1 });
  other = new DatabaseSync(join(directory, LOG_FILE));
});
afterEach(async () => {
  if (other.isOpen) other.close();
  await store.close();
  rmSync(directory, { recursive: true });
});

const says = (text: string): EventEntry => ({ turnId: "t1", event: { type: "text-delta", blockId: "b1", text } });
const textOf = (event: AgentEvent): string => (event.type === "text-delta" ? event.text : event.type);
const texts = async (): Promise<readonly string[]> => (await store.read("s1")).map(({ event }) => textOf(event));

/** Holds the log for a while and returns the longest time that the loop stood still. */
async function slowestTickWhileHeld(heldMs: number): Promise<number> {
  other.exec("begin immediate");
  const until = performance.now() + heldMs;
  let slowest = 0;
  for (let at = performance.now(); at < until; ) {
    await sleep(1);
    const now = performance.now();
    slowest = Math.max(slowest, now - at);
    at = now;
  }
  other.exec("rollback");
  return slowest;
}

describe("While another process holds the event log", () => {
  it("the process goes on, and what was to be written is written afterwards in its order", async () => {
    const held = slowestTickWhileHeld(1_000);
    const appends = Array.from({ length: 50 }, (_, index) =>
      store.append("s1", index, index % 2 === 0 ? () => [says(`${index}`)] : [says(`${index}`)], { keepTrying: true }),
    );
    expect(await held).toBeLessThan(800);
    await Promise.all(appends);
    expect(await texts()).toEqual(Array.from({ length: 50 }, (_, index) => `${index}`));
  });

  it("reading goes on", async () => {
    await store.append("s1", 0, [says("before")]);
    other.exec("begin immediate");
    expect(await texts()).toEqual(["before"]);
  });

  it("what does not keep trying is refused after a while, and keeps nothing else from being written", async () => {
    other.exec("begin immediate");
    const kept = store.append("s1", 0, [says("kept")], { keepTrying: true });
    const title = store.updateSession("s1", { title: "Refused" });
    await expect(title).rejects.toMatchObject({ code: "overloaded", retryable: true });
    other.exec("rollback");
    await kept;
    expect([await texts(), (await store.getSession("s1"))?.title]).toEqual([["kept"], undefined]);
  });

  it("closing does not wait for ever: it refuses what could not be written", async () => {
    other.exec("begin immediate");
    const lost = store.append("s1", 0, [says("lost")], { keepTrying: true });
    const refused = expect(lost).rejects.toMatchObject({ code: "overloaded" });
    await store.close();
    await refused;
  });
});

describe("A turn that another process has ended", () => {
  const starts: EventEntry = { turnId: "t1", event: { type: "turn-start", turnId: "t1", lane: "sim" } };
  const ends: EventEntry = { turnId: "t1", event: { type: "turn-end", outcome: { kind: "completed" } } };

  it("takes no event any more, although the log stands where its writer expects it", async () => {
    const stranger = openSqliteEventStore({ directory, role: "guest" });
    await store.append("s1", 0, [starts]);
    await stranger.append("s1", 1, [ends]);
    await stranger.close();
    const late = [store.append("s1", 1, [says("a")]), store.append("s1", 2, [says("b"), ends])];
    expect(await Promise.allSettled(late)).toMatchObject([
      { reason: { code: "session-busy" } },
      { reason: { code: "session-busy" } },
    ]);
    expect(await texts()).toEqual(["turn-start", "turn-end"]);
  });

  it("takes no event any more when the next turn runs", async () => {
    const next: EventEntry = { turnId: "t2", event: { type: "turn-start", turnId: "t2", lane: "sim" } };
    await store.append("s1", 0, [starts, ends, next]);
    await expect(store.append("s1", 3, [says("late")])).rejects.toMatchObject({ code: "session-busy" });
    expect(await texts()).toEqual(["turn-start", "turn-end", "turn-start"]);
  });
});

it("A writer whose append was refused is refused from then on, also what it had on its way", async () => {
  const writer: LogWriter = {};
  const appends = [
    store.append("s1", 0, [says("a")], { writer }),
    store.append("s1", 5, [says("gap")], { writer }),
    store.append("s1", 1, [says("fits by chance")], { writer }),
    store.append("s1", 1, [says("another's")]),
  ];
  expect((await Promise.allSettled(appends)).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  await expect(store.append("s1", 2, [says("later")], { writer })).rejects.toMatchObject({ code: "session-busy" });
  expect(await texts()).toEqual(["a", "another's"]);
});
