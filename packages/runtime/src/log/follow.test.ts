import type { AgentEvent } from "@caret/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { completedEnd } from "../turns/testing/scripted-engine.ts";
import type { EventStore, StoredEvent } from "./event-store.ts";
import { pullEvents as follow } from "./follow.ts";
import { createMemoryEventStore } from "./testing/memory-event-store.ts";

let store: EventStore;
let seq: number;

beforeEach(async () => {
  store = createMemoryEventStore();
  seq = 0;
  await store.createSession({ id: "s", workspace: "/w", createdAt: 1 });
});

async function append(events: readonly AgentEvent[], turnId = "t"): Promise<void> {
  const expected = seq;
  seq += events.length;
  await store.append(
    "s",
    expected,
    events.map((event) => ({ turnId, event })),
  );
}

const noise = (count: number): readonly AgentEvent[] =>
  Array.from({ length: count }, (_, index) => ({ type: "unknown", source: "x", label: "n", value: index }));

function followTurn(
  from = 0,
  signal = new AbortController().signal,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  return follow({ store, sessionId: "s" }, { from, until: { endOf: "t" }, signal });
}

async function collect(events: AsyncIterable<readonly StoredEvent[]>): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const batch of events) seqs.push(...batch.map((stored) => stored.seq));
  return seqs;
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("following a turn", () => {
  it("gives what is in the log and then what comes, once and in order", async () => {
    await append(noise(3));
    const followed = collect(followTurn());
    await append(noise(3));
    await append([completedEnd]);
    expect(await followed).toEqual(numbers(1, 7));
  });

  it("begins after the number it is given, and skips other turns", async () => {
    await append(noise(2), "earlier");
    await append(noise(3));
    await append([completedEnd]);
    expect(await collect(followTurn(3))).toEqual([4, 5, 6]);
  });

  it("lets a slow reader find in the log what it missed, exactly once", async () => {
    const events = followTurn();
    await append(noise(1));
    const first = await events.next();
    for (let round = 0; round < 30; round += 1) await append(noise(200));
    await append([completedEnd]);
    const rest = await collect(events);
    expect([...(first.value ?? []).map((stored) => stored.seq), ...rest]).toEqual(numbers(1, 6_002));
  });

  it("gives an event once that arrives while the log is being read", async () => {
    const read = store.read.bind(store);
    store.read = async (...args) => {
      await new Promise(setImmediate);
      return await read(...args);
    };
    const followed = collect(followTurn());
    for (let round = 0; round < 20; round += 1) {
      await append(noise(3));
      await new Promise(setImmediate);
    }
    await append([completedEnd]);
    expect(await followed).toEqual(numbers(1, 61));
  });

  it("serves many readers of different speed the same", async () => {
    const readers = numbers(1, 20).map(async (pace) => {
      const seqs: number[] = [];
      for await (const batch of followTurn()) {
        seqs.push(...batch.map((stored) => stored.seq));
        for (let wait = 0; wait < pace; wait += 1) await new Promise(setImmediate);
      }
      return seqs;
    });
    for (let round = 0; round < 50; round += 1) {
      await append(noise(60));
      await new Promise(setImmediate);
    }
    await append([completedEnd]);
    for (const seqs of await Promise.all(readers)) expect(seqs).toEqual(numbers(1, 3_001));
  });

  it("ends at once when it is aborted while it waits", async () => {
    const controller = new AbortController();
    const followed = collect(followTurn(0, controller.signal));
    await append(noise(2));
    await new Promise(setImmediate);
    controller.abort();
    expect(await followed).toEqual([1, 2]);
  });

  it("gives nothing when it was aborted before", async () => {
    await append(noise(2));
    expect(await collect(followTurn(0, AbortSignal.abort()))).toEqual([]);
  });

  it("stops listening when the reader leaves", async () => {
    let listeners = 0;
    const subscribe = store.subscribe.bind(store);
    store.subscribe = (sessionId, listener) => {
      listeners += 1;
      const unsubscribe = subscribe(sessionId, listener);
      return () => {
        listeners -= 1;
        unsubscribe();
      };
    };
    await append(noise(1));
    for await (const _ of followTurn()) break;
    expect(listeners).toBe(0);
  });
});
