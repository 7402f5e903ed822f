import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { nextChunk } from "./next-chunk.ts";

const never = new Promise<IteratorResult<string>>(() => undefined);
const soon = <Value>(value: Value): Promise<Value> => new Promise((resolve) => setImmediate(resolve, value));
const chunk = { done: false, value: "bytes" } as const;
const live = (): AbortSignal => new AbortController().signal;

describe("waiting for the next chunk", () => {
  it("gives it when it comes", async () => {
    expect(await nextChunk(soon(chunk), { waitMs: 5_000, signal: live() })).toEqual({ kind: "chunk", chunk: "bytes" });
  });

  it("tells the end", async () => {
    const end = { done: true, value: undefined } as const;
    expect(await nextChunk(soon(end), { waitMs: 5_000, signal: live() })).toEqual({ kind: "end" });
  });

  it("gives up in time", async () => {
    expect(await nextChunk(never, { waitMs: 5, signal: live() })).toEqual({ kind: "expired" });
  });

  it("gives up at once when the time is over already, or the turn was stopped", async () => {
    expect(await nextChunk(never, { waitMs: -100, signal: live() })).toEqual({ kind: "expired" });
    expect(await nextChunk(Promise.resolve(chunk), { waitMs: 5_000, signal: AbortSignal.abort() })).toEqual({
      kind: "aborted",
    });
  });

  it("stops when the turn is stopped", async () => {
    const controller = new AbortController();
    const waiting = nextChunk(never, { waitMs: 60_000, signal: controller.signal });
    controller.abort();
    expect(await waiting).toEqual({ kind: "aborted" });
  });

  it("takes what came while the loop was blocked for in time", async () => {
    const { promise, resolve } = Promise.withResolvers<typeof chunk>();
    const waiting = nextChunk(promise, { waitMs: 1, signal: live() });
    setTimeout(resolve, 1, chunk);
    const end = performance.now() + 20;
    while (performance.now() < end);
    expect(await waiting).toEqual({ kind: "chunk", chunk: "bytes" });
  });

  it("waits longer than a timer can, and leaves no listener behind", async () => {
    const signal = live();
    expect(await nextChunk(soon(chunk), { waitMs: 2 ** 40, signal })).toEqual({ kind: "chunk", chunk: "bytes" });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
