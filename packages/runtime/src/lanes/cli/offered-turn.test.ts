import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AgentEvent, CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { type BridgeHub, openBridgeHub } from "../bridge/bridge-hub.ts";
import type { Lane, LaneRequest } from "../lane.ts";
import { pullTurn } from "../testing/pull-turn.ts";
import { createCliLane } from "./cli-lane.ts";
import { type CliBench, collectEvents, createCliBench, saysHello, unstopped } from "./testing/cli-bench.ts";

let bench: CliBench;
let hub: BridgeHub;
let lane: Lane;
beforeEach(async () => {
  bench = createCliBench();
  hub = await openBridgeHub({ socketPath: bench.workbench.path("bridge.sock"), version: "1", maxStarting: 1 });
  const command = { file: "/bin/false", args: [] };
  lane = createCliLane({ name: "cli", host: bench.host({ openBridge: async () => ({ hub, command }) }) });
});
afterEach(async () => {
  await hub.close();
  await bench.close();
});

const offered: LaneRequest["offered"] = {
  owner: "client",
  tools: [],
  system: "",
  realWorkspace: undefined,
  call: async () => ({ text: "", isError: false }),
  announce: () => undefined,
};

/** Play a turn with a client's tools. Its agent notes its prompt, and then does what the bench's script says. */
function play(prompt: string, signal = unstopped()): Promise<readonly AgentEvent[]> {
  const request = bench.request({ turnId: prompt, prompt, offered });
  return collectEvents(pullTurn(lane, request, signal));
}

const begun = (): readonly string[] => {
  const file = bench.workbench.path("begun");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
};
const say = (file: string): void => writeFileSync(bench.workbench.path(file), "");
const waitFor = (file: string): string => `while [ ! -e ${bench.workbench.path(file)} ]; do sleep 0.02; done`;
const [, init = "", text = "", result = ""] = /^(.*\n)(.*\n)(.*\n)$/.exec(saysHello) ?? [];

/** An agent that boots until told to speak, and then works until told to end. */
function agentInSteps(): void {
  const note = `prompt=$(cat)\necho "$prompt" >> ${bench.workbench.path("begun")}`;
  bench.agent(`${note}\n${init}${waitFor("speak")}\n${text}${waitFor("end")}\n${result}`);
}

describe("turns with a client's tools that begin at the same instant", () => {
  it("start their agents one after another where one is the limit, and all end", async () => {
    agentInSteps();
    const turns = Promise.all(["first", "second", "third"].map((prompt) => play(prompt)));
    await eventually(() => begun().length > 0, "the first agent has begun");
    expect(begun()).toEqual(["first"]);
    say("speak");
    await eventually(() => begun().length === 3, "the others have begun, the first still at work");
    expect(begun()).toEqual(["first", "second", "third"]);
    say("end");
    const ends = (await turns).map((events) => events.at(-1));
    expect(ends).toEqual(ends.map(() => ({ type: "turn-end", outcome: { kind: "completed" } })));
  });

  it("are cancelled while they wait, without an agent ever having started", async () => {
    agentInSteps();
    const first = play("first");
    await eventually(() => begun().length > 0, "the first agent has begun");
    const controller = new AbortController();
    const second = play("second", controller.signal);
    controller.abort(new CaretError("cancelled", "The client has left"));
    expect(await second).toEqual([{ type: "turn-end", outcome: { kind: "cancelled" } }]);
    say("speak");
    say("end");
    await first;
    expect(begun()).toEqual(["first"]);
  });

  it("make room when an agent dies before it has said anything", async () => {
    bench.agent("exit 1\n");
    const ends = (await Promise.all([play("first"), play("second")])).map((events) => events.at(-1));
    expect(ends).toMatchObject(ends.map(() => ({ type: "turn-end", outcome: { kind: "failed" } })));
  });
});
