import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { ChunkWaiter } from "./chunk-waiter.ts";

const never = new Promise<IteratorResult<string>>(() => undefined);
const soon = <Value>(value: Value): Promise<Value> => new Promise((resolve) => setImmediate(resolve, value));
const chunk = { done: false, value: "bytes" } as const;
const live = (): AbortSignal => new AbortController().signal;

let opened: ChunkWaiter[] = [];
afterEach(() => {
  for (const waiter of opened) waiter.close();
  opened = [];
});

function waiterOf(signal = live()): ChunkWaiter {
  const waiter = new ChunkWaiter(signal);
  opened.push(waiter);
  return waiter;
}

describe("waiting for the next chunk", () => {
  it("gives it when it comes", async () => {
    expect(await waiterOf().next(soon(chunk), 5_000)).toEqual({ kind: "chunk", chunk: "bytes" });
  });

  it("gives the end of the stream", async () => {
    const end = { done: true, value: undefined } as const;
    expect(await waiterOf().next(soon(end), 5_000)).toEqual({ kind: "end" });
  });

  it("rejects when the stream does", async () => {
    await expect(waiterOf().next(Promise.reject(new Error("broken pipe")), 5_000)).rejects.toThrow("broken pipe");
  });

  it("gives up in time", async () => {
    expect(await waiterOf().next(never, 5)).toEqual({ kind: "expired" });
  });

  it("gives up at once when the time is over already, or the turn was stopped", async () => {
    expect(await waiterOf().next(never, -100)).toEqual({ kind: "expired" });
    expect(await waiterOf(AbortSignal.abort()).next(Promise.resolve(chunk), 5_000)).toEqual({ kind: "aborted" });
  });

  it("stops when the turn is stopped", async () => {
    const controller = new AbortController();
    const waiting = waiterOf(controller.signal).next(never, 60_000);
    controller.abort();
    expect(await waiting).toEqual({ kind: "aborted" });
  });

  it("counts what came while the loop was blocked as in time", async () => {
    const { promise, resolve } = Promise.withResolvers<typeof chunk>();
    const waiting = waiterOf().next(promise, 1);
    setTimeout(resolve, 1, chunk);
    const end = performance.now() + 20;
    while (performance.now() < end);
    expect(await waiting).toEqual({ kind: "chunk", chunk: "bytes" });
  });

  it("waits longer than a timer can", async () => {
    expect(await waiterOf().next(soon(chunk), 2 ** 40)).toEqual({ kind: "chunk", chunk: "bytes" });
  });

  it("gives each wait its own time: a longer one after a shorter, a shorter one after a longer, one without end", async () => {
    const waiter = waiterOf();
    await waiter.next(soon(chunk), 20);
    const startedAt = performance.now();
    expect(await waiter.next(never, 60)).toEqual({ kind: "expired" });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59);
    await waiter.next(soon(chunk), 60_000);
    expect(await waiter.next(never, 5)).toEqual({ kind: "expired" });
    await waiter.next(soon(chunk), 1);
    const late = new Promise<typeof chunk>((resolve) => setTimeout(resolve, 30, chunk));
    expect(await waiter.next(late, Number.POSITIVE_INFINITY)).toEqual({ kind: "chunk", chunk: "bytes" });
  });

  it("adds one abort listener for all waits of a stream, and none stays after it is closed", async () => {
    const signal = live();
    const waiter = waiterOf(signal);
    for (let count = 0; count < 100; count += 1) await waiter.next(soon(chunk), 60_000);
    const during = getEventListeners(signal, "abort").length;
    waiter.close();
    expect({ during, after: getEventListeners(signal, "abort").length }).toEqual({ during: 1, after: 0 });
  });
});
