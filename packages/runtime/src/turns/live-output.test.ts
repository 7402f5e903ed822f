import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@caret/protocol";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolCall } from "../calls/tool-call.ts";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { createLiveOutput } from "./live-output.ts";
import type { RunningTurn } from "./session-engine.ts";
import { AttendedBench, eventsOf, only } from "./testing/attended-bench.ts";

const spawner = createInlineSpawner({});
let bench: AttendedBench;
beforeEach(() => {
  bench = new AttendedBench(spawner);
});
afterEach(() => bench.remove());
afterAll(() => spawner.close());

const exec = (command: string): ToolCall => ({ name: "exec", input: { command } });
const start = (command: string): Promise<RunningTurn> => bench.start([[exec(command)]], { permission: "full" });

/** Resolves as soon as the turn tells that the command printed this. */
async function untilPrinted(turn: RunningTurn, words: string): Promise<void> {
  let printed = "";
  for await (const batch of turn.follow()) {
    for (const { event } of batch) if (event.type === "tool-output") printed += event.text;
    if (printed.includes(words)) return;
  }
  throw new Error(`The turn ended before the command printed ${words}`);
}

const printedIn = (events: readonly AgentEvent[]): string =>
  only(events, "tool-output")
    .map(({ text }) => text)
    .join("");

describe("the output of a command that the gateway runs", () => {
  it("is emitted while the command runs, and its result has all of it", async () => {
    const turn = await start("echo first; until [ -e go ]; do sleep 0.05; done; echo second");
    await untilPrinted(turn, "first\n");
    writeFileSync(join(bench.project, "go"), "");
    const events = await eventsOf(turn);
    expect([printedIn(events), only(events, "tool-result").map(({ status, output }) => ({ status, output }))]).toEqual([
      "first\nsecond\n",
      [{ status: "ok", output: "first\nsecond\n" }],
    ]);
  });

  it("is kept when the turn is stopped: the result has what was printed so far", async () => {
    const turn = await start("echo half; sleep 60");
    await untilPrinted(turn, "half\n");
    turn.cancel("You stopped the turn");
    const events = await eventsOf(turn);
    expect(only(events, "tool-result").map(({ status, output }) => [status, output.split("\n")[0]])).toEqual([
      ["interrupted", "half"],
    ]);
  });

  it("does not count the wait for a person as running", async () => {
    const turn = await bench.start([[exec("echo asked")]]);
    const { promise, resolve } = Promise.withResolvers<number>();
    const look = () => {
      const [ask] = turn.asks.open();
      if (ask === undefined) return;
      resolve(performance.now());
      setTimeout(() => turn.asks.answerApproval(ask.requestId, { decision: "approved" }), 400);
    };
    turn.asks.onChange(look);
    look();
    const askedAt = await promise;
    const [result] = only(await eventsOf(turn), "tool-result");
    expect(result?.durationMs).toBeLessThan(performance.now() - askedAt - 300);
  });
});

describe("the live output", () => {
  const collect = () => {
    const written: AgentEvent[] = [];
    const live = createLiveOutput({ callId: "c", write: async (events) => void written.push(...events) });
    return { live, written };
  };

  it("is bounded in the log, and the end of a flood is known when the command is stopped", () => {
    const { live, written } = collect();
    for (let line = 0; line < 100_000; line++) live.push(`line ${line}\n`);
    const told = printedIn([...written, ...live.end()]);
    expect({
      isBounded: told.length < 140_000,
      startsWithTheFirstLines: told.startsWith("line 0\nline 1\n"),
      includesMoreOutput: told.includes("more output"),
    }).toEqual({ isBounded: true, startsWithTheFirstLines: true, includesMoreOutput: true });
    expect({
      isBounded: live.soFar().length < 160_000,
      endsWithTheLastLine: live.soFar().endsWith("line 99999\n"),
    }).toEqual({ isBounded: true, endsWithTheLastLine: true });
    expect(live.end()).toEqual([]);
  });

  it("joins what comes at once into one event", () => {
    const { live } = collect();
    live.push("a");
    live.push("b");
    expect([live.soFar(), live.end()]).toEqual(["ab", [{ type: "tool-output", callId: "c", text: "ab" }]]);
  });
});
