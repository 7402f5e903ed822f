import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, TakeBatch } from "@caret/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WHOLE } from "../log/follow.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import {
  type ConversationBench,
  called,
  callIdsIn,
  createConversationBench,
  eventsOf,
  result,
  user,
} from "./testing/conversation-bench.ts";
import { untilParked } from "./until-parked.ts";

/** Longer than calls that are made together are waited for. */
const SLOW_DISK_MS = 200;

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

const client = { owner: undefined, tools: [{ name: "read", inputSchema: { type: "object" } }] };
it("a call that takes long to reach the log is asked for once, not again after its result", async () => {
  const append = bench.store.append.bind(bench.store);
  let calls = 0;
  bench.store.append = async (sessionId, seq, entries) => {
    if (Array.isArray(entries) && entries.some(({ event }) => event.type === "tool-call")) calls += 1;
    // The first of two calls that are made together is in the log at once; everything after it takes long.
    if (calls > 1) await sleep(SLOW_DISK_MS);
    return await append(sessionId, seq, entries);
  };
  bench.manner({ calls: [["a", "b"]] });
  const asked = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
  const transcript = [user("A"), called(...asked), ...asked.map((callId) => result(callId, "A"))];
  const askedAgain = callIdsIn(await eventsOf(await bench.open(transcript, client)));
  expect([asked.length, askedAgain]).toEqual([2, []]);
});

it.each([true, false])(
  "an answer with a call goes on as long as the agent speaks, also where its words come without a batch: %s",
  async (takesMore) => {
    vi.useFakeTimers();
    try {
      const WINDOW_MS = 80;
      const call = { callId: "c", name: "read", input: {} };
      const stored = (seq: number, event: AgentEvent) => ({ sessionId: "s", turnId: "t", seq, at: 0, event });
      const delta = (text: string) => ({ type: "text-delta", blockId: "b", text }) as const;
      const spoken: unknown[] = [];
      const listen: RunningTurn["listen"] = async (take, { signal } = {}) => {
        await take([stored(2, { type: "tool-call", kind: "other", owner: "client", ...call }), stored(3, delta("I"))]);
        for (const text of [" am", " on", " it", "."]) {
          await vi.advanceTimersByTimeAsync(WINDOW_MS - 10);
          if (signal?.aborted !== true && take.more?.(delta(text)) !== true) await take([stored(3, delta(text))]);
        }
        for (const waited of [WINDOW_MS - 10, 20]) {
          await vi.advanceTimersByTimeAsync(waited);
          spoken.push({ hasLeft: signal?.aborted });
        }
      };
      const parked = { windowMs: () => WINDOW_MS, open: () => [call] };
      const turn = { parked, listen } as unknown as RunningTurn;
      const batches = (events: readonly AgentEvent[]): void =>
        void spoken.push(...events.map((event) => (event.type === "text-delta" ? event.text : event.type)));
      const more: TakeBatch<unknown>["more"] = ({ text }) => takesMore && spoken.push({ more: text }) > 0;
      const never = new AbortController().signal;
      const options = {
        turn,
        from: { seq: 1, characters: WHOLE },
        reached: () => ({ seq: 1, characters: WHOLE }),
        signal: never,
        clientCalls: new Set<string>(),
        closed: never,
      };
      await untilParked(
        { ...options, onReached: () => undefined, end: () => undefined },
        Object.assign(batches, { more }),
      );
      const words = [" am", " on", " it", "."].map((text) => (takesMore ? { more: text } : text));
      expect(spoken).toEqual(["tool-call", "I", ...words, { hasLeft: false }, { hasLeft: true }]);
    } finally {
      vi.useRealTimers();
    }
  },
);
