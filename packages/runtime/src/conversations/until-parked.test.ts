import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type ConversationBench,
  called,
  callIdsIn,
  createConversationBench,
  eventsOf,
  result,
  user,
} from "./testing/conversation-bench.ts";

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
