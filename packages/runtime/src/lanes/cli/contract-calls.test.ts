import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, assertWellFormedTurn } from "@caret/protocol";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { testEnv } from "../../process/testing/workbench.ts";
import { barSize } from "../../testing/bar-size.ts";
import type { RunningTurn, SessionEngine, TurnRequest } from "../../turns/session-engine.ts";
import { follow, scriptedEngine } from "../../turns/testing/scripted-engine.ts";
import { createCliLane } from "./cli-lane.ts";
import type { RepairSettings } from "./contract-calls.ts";
import { type CliBench, createCliBench } from "./testing/cli-bench.ts";

/** Makes the calls that its prompt lists, and leaves in the way it is asked to, without waiting for anything. */
const hastyProgram = `
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const turn = JSON.parse((await lines.next()).value);
const { calls, way, pauseMs, isOneWrite } = JSON.parse(turn.messages.at(-1).content);
const line = (type, data) => JSON.stringify({ type, data }) + "\\n";
const last = { done: line("done", { finishReason: "stop" }), error: line("error", { code: "X", message: "no" }) }[way] ?? "";
const made = calls.map(([name, args], index) => line("tool_call", { callId: "p" + index, name, args }));
const pieces = isOneWrite ? [[...made, last].join("")] : [...made, last];
for (const piece of pieces) {
  if (piece !== "") await new Promise((written) => process.stdout.write(piece, written));
  if (pauseMs > 0) await sleep(pauseMs);
}
process.exit(way === "exit 1" ? 1 : 0);
`;

/** A user's program: makes the calls listed in its prompt, one after the other, and prints the results. */
const program = `
import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const emit = (type, data) => process.stdout.write(JSON.stringify({ type, data }) + "\\n");
const turn = JSON.parse((await lines.next()).value);
emit("protocol", { version: "1.0" });
const { calls } = JSON.parse(turn.messages.at(-1).content);
const heard = [];
for (const [name, args] of calls) {
  emit("tool_call", { callId: "p" + heard.length, name, args });
  heard.push(JSON.parse((await lines.next()).value));
}
const { tools, workspace } = turn;
const roles = turn.messages.map(({ role }) => role);
emit("assistant_delta", { content: JSON.stringify({ tools, workspace, roles, heard }) });
emit("done", { finishReason: "stop" });
process.exit();
`;

let bench: CliBench;
let project: string;
let engine: SessionEngine;
const spawner = createInlineSpawner({});
afterAll(() => spawner.close());
beforeEach(() => {
  bench = createCliBench();
  project = join(bench.workspace, "project");
  mkdirSync(project);
  open();
});
afterEach(async () => {
  await engine.close();
  await bench.close();
});

function open(repair: RepairSettings = { version: "v1", autoFallback: false }, source = program): void {
  const script = bench.workbench.path("agent.mjs");
  writeFileSync(script, source);
  const entry = { promptAsArg: false, authProfiles: [], fallbackModels: [], enabled: true };
  const models = { own: { ...entry, command: process.execPath, args: [script] } };
  const host = bench.host({ programs: { command: undefined, args: [], promptAsArg: false, models }, repair });
  const policy = { mode: "full", rules: [] } as const;
  engine = scriptedEngine(createCliLane({ name: "cli", host }), bench.workspace, {
    toolbox: { policy, servers: [], spawner, env: testEnv, outputsDir: tmpdir() },
    parkedLimitMs: 10_000,
  });
}

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];

function start(calls: readonly Call[], more: Partial<TurnRequest> & { how?: object } = {}): Promise<RunningTurn> {
  const { how = {}, ...request } = more;
  const prompt = JSON.stringify({ calls, ...how });
  return engine.startTurn({ prompt, workspace: bench.workspace, model: "own", ...request });
}

const byGateway = (): Partial<TurnRequest> => ({ gatewayTools: { system: "Be kind.", realWorkspace: project } });

async function play(calls: readonly Call[], more: Parameters<typeof start>[1] = {}): Promise<readonly AgentEvent[]> {
  const turn = await start(calls, more);
  const events = await follow(turn);
  await turn.settled;
  assertWellFormedTurn(events);
  return events;
}

function saidBy(events: readonly AgentEvent[]) {
  return JSON.parse(events.map((event) => (event.type === "text-delta" ? event.text : "")).join(""));
}

const resultsOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "tool-result" ? [event.status] : []));
const outcomeOf = (events: readonly AgentEvent[]) => events.findLast((event) => event.type === "turn-end")?.outcome;

describe("a program that asks for calls in its stream", () => {
  it("is sent the gateway's tools, and the result of each call", async () => {
    const events = await play(
      [
        ["write", { path: "a.txt", content: "hi" }],
        ["read", { path: "a.txt" }],
      ],
      byGateway(),
    );
    const { tools, workspace, roles, heard } = saidBy(events);
    expect([workspace, roles, heard.map((line: { callId: string }) => line.callId)]).toEqual([
      project,
      ["system", "user"],
      ["p0", "p1"],
    ]);
    expect(heard[1]).toEqual({
      type: "tool_result",
      callId: "p1",
      name: "read",
      ok: true,
      content: expect.stringContaining("hi"),
    });
    expect(tools.find(({ name }: { name: string }) => name === "exec").schema.type).toBe("object");
    expect([resultsOf(events), readFileSync(join(project, "a.txt"), "utf8")]).toEqual([["ok", "ok"], "hi"]);
  });

  it("may spell tools and arguments its own way, unless `repair` is the legacy version", async () => {
    const call: Call = ["createFile", { filePath: "b.txt", contents: "hi" }];
    expect(resultsOf(await play([call], byGateway()))).toEqual(["ok"]);
    expect(readdirSync(project)).toEqual(["b.txt"]);
    await engine.close();
    open({ version: "legacy", autoFallback: false });
    expect(resultsOf(await play([call], byGateway()))).toEqual(["rejected"]);
  });

  it("is refused a tool that nobody offers, and goes on", async () => {
    const events = await play([["launch", { path: "rocket" }]], byGateway());
    expect([outcomeOf(events), resultsOf(events)]).toEqual([{ kind: "completed" }, ["rejected"]]);
    expect(saidBy(events).heard).toEqual([
      {
        type: "tool_result",
        callId: "p0",
        name: "launch",
        ok: false,
        content: expect.stringContaining("There is no tool named `launch`"),
      },
    ]);
  });

  it("is refused every call when no tools are offered at all, whatever `repair` is", async () => {
    await engine.close();
    open({ version: "legacy", autoFallback: true });
    const events = await play([["write", { path: "a.txt", content: "hi" }]]);
    expect({ outcome: outcomeOf(events), results: resultsOf(events), ok: saidBy(events).heard[0].ok }).toEqual({
      outcome: { kind: "completed" },
      results: ["rejected"],
      ok: false,
    });
  });

  it("waits for the client where the client runs the tools", async () => {
    const clientTools = { tools: [{ name: "look", inputSchema: { type: "object" } }], system: "" };
    const turn = await start([["look", { at: "it" }]], { clientTools });
    const events: AgentEvent[] = [];
    for await (const batch of turn.follow()) {
      events.push(...batch.map(({ event }) => event));
      for (const { callId } of turn.parked?.open() ?? []) turn.parked?.answer(callId, { text: "seen", isError: false });
    }
    assertWellFormedTurn(events);
    expect(events.find((event) => event.type === "tool-call")).toMatchObject({ name: "look", owner: "client" });
    expect(saidBy(events).heard).toEqual([
      { type: "tool_result", callId: "p0", name: "look", ok: true, content: "seen" },
    ]);
  });

  it("has its calls run whatever it does next, and however soon", async () => {
    await engine.close();
    open(undefined, hastyProgram);
    const ends = {
      done: "completed",
      "exit 0": "completed",
      error: "upstream-error",
      "exit 1": "agent-crashed",
    } as const;
    const ways = fc.record({
      way: fc.constantFrom(...(Object.keys(ends) as (keyof typeof ends)[])),
      pauseMs: fc.constantFrom(0, 0, 40),
      isOneWrite: fc.boolean(),
      count: fc.integer({ min: 1, max: 3 }),
      takesMs: fc.constantFrom(0, 150),
    });
    let run = 0;
    const property = fc.asyncProperty(ways, async ({ count, takesMs, ...how }) => {
      run += 1;
      const files = Array.from({ length: count }, (_, index) => `made-${run}-${index}`);
      const calls = files.map((file): Call => ["exec", { command: `sleep ${takesMs / 1_000}; touch ${file}` }]);
      const events = await play(calls, { ...byGateway(), how });
      const outcome = outcomeOf(events);
      expect({
        end: outcome?.kind === "failed" ? outcome.error.code : outcome?.kind,
        results: resultsOf(events),
        made: readdirSync(project).filter((file) => file.startsWith(`made-${run}-`)),
      }).toEqual({ end: ends[how.way], results: files.map(() => "ok"), made: files });
    });
    await fc.assert(property, { numRuns: barSize({ quick: 8, full: 60 }) });
  });

  it("has no call interrupted by its end, but by a person who stops the turn while one runs", async () => {
    await engine.close();
    open(undefined, hastyProgram);
    const turn = await start([["exec", { command: "sleep 20" }]], {
      ...byGateway(),
      how: { way: "done", isOneWrite: true },
    });
    const events: AgentEvent[] = [];
    for await (const batch of turn.follow()) {
      events.push(...batch.map(({ event }) => event));
      if (batch.some(({ event }) => event.type === "tool-call")) turn.cancel("Enough");
    }
    assertWellFormedTurn(events);
    expect([outcomeOf(events), resultsOf(events)]).toEqual([{ kind: "cancelled" }, ["interrupted"]]);
  });

  it("gets no more than 64 calls a turn, and is stopped when it asks on and on", async () => {
    const unlike = Array.from({ length: 200 }, (_, index): Call => ["ls", { path: `none-${index}` }]);
    const events = await play(unlike, byGateway());
    expect(outcomeOf(events)).toMatchObject({ kind: "failed", error: { code: "loop-stopped" } });
    expect(resultsOf(events).filter((status) => status !== "rejected").length).toBe(64);
  }, 60_000);
});
