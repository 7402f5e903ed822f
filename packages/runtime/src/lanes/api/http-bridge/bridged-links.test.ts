import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../testing/eventually.ts";
import { pullTurn } from "../../testing/pull-turn.ts";
import { type ApiBench, collectTurn, createApiBench, storyOf, unstopped } from "../testing/api-bench.ts";
import {
  type ScriptedRun,
  type ScriptedUpstream,
  saysHello,
  startScriptedUpstream,
} from "../testing/scripted-upstream.ts";
import type { UpstreamLinks } from "../transport/upstream-link.ts";
import { type BridgeProcess, createBridgedLinks, startBridge } from "./bridged-links.ts";

let bench: ApiBench;
let upstream: ScriptedUpstream;
let links: UpstreamLinks;
let bridges: BridgeProcess[];
beforeEach(() => {
  bench = createApiBench();
  bridges = [];
  links = createBridgedLinks({
    ca: undefined,
    start() {
      const bridge = startBridge(process.execPath);
      bridges.push(bridge);
      return bridge;
    },
  });
});
afterEach(async () => {
  await bench.close();
  await upstream.close();
});

const turn = async () =>
  storyOf(await collectTurn(pullTurn(bench.lane(upstream.url, { links }), bench.request(), unstopped())));

describe("a host whose requests the HTTP bridge makes", () => {
  it("has the same turns, all over one process and one connection", async () => {
    upstream = await startScriptedUpstream(saysHello);
    const stories = await Promise.all(Array.from({ length: 12 }, turn));
    expect(new Set(stories.map((story) => story.join(" ")))).toEqual(new Set(["Hello. completed"]));
    expect([bridges.length, upstream.connections(), upstream.runs.length]).toEqual([1, 1, 12]);
  });

  it("gets a flood whole, though it reads slowly", async () => {
    const piece = "x".repeat(10_000);
    upstream = await startScriptedUpstream(async (run) => {
      for (let count = 0; count < 1_000; count += 1) run.update({ case: "textDelta", value: { text: piece } });
      saysHello(run);
    });
    let characters = 0;
    for await (const entries of pullTurn(bench.lane(upstream.url, { links }), bench.request(), unstopped())) {
      await new Promise(setImmediate);
      for (const { event } of entries) if (event.type === "text-delta") characters += event.text.length;
    }
    expect(characters).toBe(10_000_000 + "Hello.".length);
  });

  it("resets the stream of a turn that is stopped", async () => {
    upstream = await startScriptedUpstream((run: ScriptedRun) => {
      run.update({ case: "textDelta", value: { text: "Half" } });
    });
    for await (const _ of pullTurn(bench.lane(upstream.url, { links }), bench.request(), unstopped())) break;
    await upstream.runs[0]?.closed;
  });

  it("starts another bridge when the first has died before it gave anything", async () => {
    upstream = await startScriptedUpstream((run, index) => {
      if (index === 0) bridges[0]?.stdout.destroy();
      else saysHello(run);
    });
    expect([await turn(), bridges.length]).toEqual([["retry", "Hello.", "completed"], 2]);
  });

  it("leaves no process behind when it closes", async () => {
    upstream = await startScriptedUpstream(saysHello);
    await turn();
    let hasLeft = false;
    bridges[0]?.stdout.once("close", () => {
      hasLeft = true;
    });
    links.close();
    await eventually(() => hasLeft, "the bridge to leave");
  });

  it("sends nothing to a host that is not allowed", async () => {
    upstream = await startScriptedUpstream(saysHello);
    await expect(links.open(new URL("https://evil.example.com"))).rejects.toMatchObject({ code: "invalid-config" });
  });
});
