import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { TranscriptMessage } from "../lineage/transcript.ts";
import { createDeskBench, type DeskBench, user } from "./desk-bench.contract.ts";
import type { DeskTurn } from "./turn-desk.ts";

/** Longer than calls that are made together are waited for. */
const SLOW_DISK_MS = 200;

let bench: DeskBench;
beforeEach(() => {
  bench = createDeskBench();
});
afterEach(() => bench.close());

const client = { owner: undefined, tools: [{ name: "read", inputSchema: { type: "object" } }] };
const called = (...callIds: readonly string[]): TranscriptMessage => ({
  role: "assistant",
  text: "",
  calls: callIds.map((callId) => ({ callId, name: "read", input: {} })),
});
const result = (callId: string): TranscriptMessage => ({
  role: "tool",
  callId,
  parts: [{ kind: "text", text: "A" }],
  isError: false,
});

async function callIdsOf(turn: DeskTurn): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const batch of turn.follow(new AbortController().signal))
    for (const event of batch) if (event.type === "tool-call") ids.push(event.callId);
  return ids;
}

it("a call that takes long to reach the log is asked for once, not again after its result", async () => {
  const append = bench.store.append.bind(bench.store);
  let calls = 0;
  bench.store.append = async (sessionId, seq, entries) => {
    if (entries.some(({ event }) => event.type === "tool-call")) calls += 1;
    // The first of two calls that are made together is in the log at once; everything after it takes long.
    if (calls > 1) await sleep(SLOW_DISK_MS);
    return await append(sessionId, seq, entries);
  };
  bench.manner({ calls: [["a", "b"]] });
  const asked = await callIdsOf(await bench.open([user("A")], client));
  const transcript = [user("A"), called(...asked), ...asked.map(result)];
  const askedAgain = await callIdsOf(await bench.open(transcript, client));
  expect([asked.length, askedAgain]).toEqual([2, []]);
});
