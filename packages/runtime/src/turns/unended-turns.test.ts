import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertWellFormedTurn, CaretError } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { EventStore } from "../log/event-store.ts";
import { createMemoryEventStore } from "../log/testing/memory-event-store.ts";
import type { SessionEngine } from "./session-engine.ts";
import { completedEnd, says, scriptedEngine, scriptedLane } from "./testing/scripted-engine.ts";

let root: string;
let workspace: string;
let store: EventStore;
let engine: SessionEngine;
/** Whether the disk accepts writes. */
let isFull: boolean;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-unended-")));
  workspace = join(root, "workspace");
  mkdirSync(workspace);
  isFull = false;
  store = createMemoryEventStore();
  const append = store.append.bind(store);
  store.append = (...args) =>
    isFull ? Promise.reject(new CaretError("storage-full", "The disk is full")) : append(...args);
  const lane = scriptedLane(async function* () {
    yield says("Said.");
    isFull = true;
    yield says("Lost.", "text-2");
    yield [completedEnd];
  });
  engine = scriptedEngine(lane, workspace, { store });
});
afterEach(async () => {
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});

const eventsOf = async (sessionId: string) => (await store.read(sessionId)).map(({ event }) => event);

it("a turn whose end the log did not take is ended by itself once the log takes it, with the reason", async () => {
  const { sessionId, outcome } = await engine.startTurn({ prompt: "x", workspace });
  expect(await outcome).toMatchObject({ kind: "failed", error: { code: "storage-full" } });
  expect(await store.runningTurns()).toHaveLength(1);
  isFull = false;
  await expect.poll(() => store.runningTurns(), { timeout: 10_000 }).toEqual([]);
  const events = await eventsOf(sessionId);
  assertWellFormedTurn(events);
  expect(events.at(-1)).toMatchObject({ outcome: { kind: "failed", error: { code: "storage-full" } } });
});

it("the next turn of its session ends it first, and is refused while the log takes nothing", async () => {
  const { sessionId, settled } = await engine.startTurn({ prompt: "x", workspace });
  await settled;
  await expect(engine.startTurn({ prompt: "y", sessionId })).rejects.toMatchObject({ code: "storage-full" });
  isFull = false;
  const next = await engine.startTurn({ prompt: "y", sessionId });
  const types = (await eventsOf(sessionId)).map(({ type }) => type);
  expect(types.slice(0, types.lastIndexOf("turn-start")).at(-1)).toBe("turn-end");
  await next.settled;
});

it("closing ends it, when the log takes it by then", async () => {
  const { sessionId, settled } = await engine.startTurn({ prompt: "x", workspace });
  await settled;
  isFull = false;
  store.close = async () => undefined;
  await engine.close();
  expect((await eventsOf(sessionId)).at(-1)).toMatchObject({ type: "turn-end", outcome: { kind: "failed" } });
});
