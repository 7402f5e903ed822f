import { afterEach, beforeEach, expect, it } from "vitest";
import { type ApiBench, collectTurn, createApiBench } from "./testing/api-bench.ts";
import { type ScriptedUpstream, saysHello, startScriptedUpstream } from "./testing/scripted-upstream.ts";

let bench: ApiBench;
let upstream: ScriptedUpstream | undefined;
beforeEach(() => {
  bench = createApiBench();
});
afterEach(async () => {
  await bench.close();
  await upstream?.close();
});

const unstopped = (): AbortSignal => new AbortController().signal;

it("says what the upstream says", async () => {
  upstream = await startScriptedUpstream(saysHello);
  const events = await collectTurn(bench.lane(upstream.url).runTurn(bench.request(), unstopped()));
  expect(events).toEqual([
    { type: "session-ready", sessionId: "agent-id-1", version: "sdk-1.0.32 (unofficial)" },
    { type: "text-start", blockId: "text-1" },
    { type: "text-delta", blockId: "text-1", text: "Hello." },
    { type: "text-end", blockId: "text-1" },
    { type: "usage", usage: { input: 7, output: 2 } },
    { type: "turn-end", outcome: { kind: "completed" } },
  ]);
});
