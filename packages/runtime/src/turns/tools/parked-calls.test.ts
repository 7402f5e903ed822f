import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it, vi } from "vitest";
import { createCallLog } from "./call-log.ts";
import { createParkedCalls } from "./parked-calls.ts";

const never = new AbortController().signal;

function lot(options: { limitMs?: number; mentionMs?: number } = {}) {
  const events: AgentEvent[] = [];
  let count = 0;
  const calls = createCallLog({
    write: async (more) => void events.push(...more),
    newCallId: () => {
      count += 1;
      return `call_${count}`;
    },
    mentionMs: options.mentionMs ?? 0,
  });
  const parked = createParkedCalls({ calls, limitMs: options.limitMs ?? 60_000 });
  return { events, parked, calls };
}

const called = (callId: string, name: string, input: object): AgentEvent => ({
  type: "tool-call",
  callId,
  name,
  kind: "other",
  input,
  owner: "client",
});
const told = (callId: string, status: "ok" | "error" | "interrupted", output: string): AgentEvent => ({
  type: "tool-result",
  callId,
  status,
  output,
});

describe("parked calls", () => {
  it("wait side by side and are answered by id, in any order", async () => {
    const { events, parked } = lot();
    const first = parked.park({ name: "read", input: { path: "a" } }, never);
    const second = parked.park({ name: "read", input: { path: "b" } }, never);
    await expect.poll(() => parked.open().map(({ callId }) => callId)).toEqual(["call_1", "call_2"]);
    expect(parked.answer("call_2", { text: "B", isError: false })).toBe(true);
    expect(parked.answer("call_1", { text: "no such file", isError: true })).toBe(true);
    expect(await Promise.all([first, second])).toEqual([
      { text: "no such file", isError: true },
      { text: "B", isError: false },
    ]);
    expect(events).toEqual([
      called("call_1", "read", { path: "a" }),
      called("call_2", "read", { path: "b" }),
      told("call_2", "ok", "B"),
      told("call_1", "error", "no such file"),
    ]);
  });

  it("take one answer each", async () => {
    const { parked } = lot();
    void parked.park({ name: "read", input: {} }, never);
    await expect.poll(() => parked.open().length).toBe(1);
    expect(["call_1", "call_1", "call_9"].map((id) => parked.answer(id, { text: "", isError: false }))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("are logged only after the agent's stream has mentioned them", async () => {
    const { events, parked, calls } = lot({ mentionMs: 60_000 });
    void parked.park({ name: "read", input: { b: 1, a: 2 } }, never);
    expect(events).toEqual([]);
    calls.announce({ name: "read", input: { a: 2, b: 1 } });
    await expect.poll(() => events.length).toBe(1);
    calls.announce({ name: "list", input: {} });
    void parked.park({ name: "list", input: {} }, never);
    await expect.poll(() => events.length).toBe(2);
  });

  it("are answered with an error when the client takes too long", async () => {
    const { events, parked } = lot({ limitMs: 20 });
    expect(await parked.park({ name: "read", input: {} }, never)).toEqual({
      text: "The client gave no result within 20 ms.",
      isError: true,
    });
    expect(events.at(-1)).toEqual(told("call_1", "error", "The client gave no result within 20 ms."));
  });

  it("are given their time again when the client answers another one", async () => {
    vi.useFakeTimers();
    try {
      const { events, parked } = lot({ limitMs: 1_000 });
      void parked.park({ name: "a", input: {} }, never);
      void parked.park({ name: "b", input: {} }, never);
      await vi.advanceTimersByTimeAsync(900);
      parked.answer("call_1", { text: "A", isError: false });
      await vi.advanceTimersByTimeAsync(900);
      expect(parked.open().map(({ callId }) => callId)).toEqual(["call_2"]);
      await vi.advanceTimersByTimeAsync(100);
      expect(events.at(-1)).toEqual(told("call_2", "error", "The client gave no result within 1000 ms."));
    } finally {
      vi.useRealTimers();
    }
  });

  it("tell who asks why they have ended without their client", async () => {
    const whys: string[] = [];
    const [hurried, patient] = [lot({ limitMs: 20 }).parked, lot().parked];
    for (const parked of [hurried, patient]) parked.onUnanswered((why) => void whys.push(why));
    await hurried.park({ name: "read", input: {} }, never);
    const controller = new AbortController();
    const result = patient.park({ name: "read", input: {} }, controller.signal);
    await expect.poll(() => patient.open().length).toBe(1);
    controller.abort();
    await result;
    expect(whys).toEqual(["late", "given-up"]);
  });

  it("are interrupted when the agent no longer waits", async () => {
    const { events, parked } = lot();
    const controller = new AbortController();
    const result = parked.park({ name: "read", input: {} }, controller.signal);
    await expect.poll(() => parked.open().length).toBe(1);
    controller.abort();
    expect(await result).toEqual({ text: "The agent no longer waits.", isError: true });
    expect(events.at(-1)).toEqual(told("call_1", "interrupted", "The agent no longer waits."));
  });

  it("can be dismissed together, with a reason, and so are all that come later", async () => {
    const { events, parked } = lot();
    const results = [parked.park({ name: "a", input: {} }, never), parked.park({ name: "b", input: {} }, never)];
    await expect.poll(() => parked.open().length).toBe(2);
    parked.dismissAll("the user said something else");
    const refused = { text: "the user said something else", isError: true };
    expect(await Promise.all(results)).toEqual([refused, refused]);
    expect(await parked.park({ name: "c", input: {} }, never)).toEqual(refused);
    expect([parked.open(), events.slice(-2)]).toEqual([
      [],
      [
        { ...called("call_3", "c", {}), owner: "gateway" },
        { type: "tool-result", callId: "call_3", status: "rejected", output: "the user said something else" },
      ],
    ]);
  });

  it("are settled before the turn's end, and none is taken afterwards", async () => {
    const { parked } = lot();
    const result = parked.park({ name: "a", input: {} }, never);
    await expect.poll(() => parked.open().length).toBe(1);
    expect(parked.end()).toEqual([told("call_1", "interrupted", "The turn ended before this call had a result.")]);
    const over = { text: "The turn is over.", isError: true };
    expect([await result, await parked.park({ name: "b", input: {} }, never)]).toEqual([over, over]);
  });

  it("go out one at a time in the order in which the agent made them, in whichever they come", async () => {
    const { events, parked, calls } = lot({ mentionMs: 60_000 });
    parked.setParallel(false);
    for (const name of ["a", "b"]) calls.announce({ name, input: {} });
    void parked.park({ name: "b", input: {} }, never);
    void parked.park({ name: "a", input: {} }, never);
    await expect.poll(() => parked.open().map(({ name }) => name)).toEqual(["a"]);
    parked.answer("call_1", { text: "A", isError: false });
    await expect.poll(() => parked.open().map(({ name }) => name)).toEqual(["b"]);
    expect(events.map((event) => event.type)).toEqual(["tool-call", "tool-result", "tool-call"]);
  });
});
