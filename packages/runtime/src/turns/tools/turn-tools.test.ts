import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentEvent, assertWellFormedTurn } from "@caret/protocol";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolCall, ToolResult } from "../../calls/tool-call.ts";
import { type OfferedTools, outcomeOfStop } from "../../lanes/lane.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { testEnv } from "../../process/testing/workbench.ts";
import { eventually } from "../../testing/eventually.ts";
import type { RunningTurn, SessionEngine, TurnRequest } from "../session-engine.ts";
import { completedEnd, follow, scriptedEngine, scriptedLane } from "../testing/scripted-engine.ts";
import type { ToolboxSettings } from "./lazy-toolbox.ts";

/** An engine whose agent only calls tools; the tools, the policy and the guard are real. */
let directory: string;
let project: string;
let engine: SessionEngine | undefined;
const spawner = createInlineSpawner({});
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-turn-tools-")));
  project = join(directory, "project");
  mkdirSync(project);
});
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => spawner.close());

interface Played {
  readonly turn: RunningTurn;
  /** The results that the agent got, call by call. */
  readonly heard: readonly ToolResult[];
  readonly offered: () => OfferedTools | undefined;
}

async function start(
  calls: readonly ToolCall[],
  request: Partial<TurnRequest>,
  settings: Partial<ToolboxSettings> = {},
): Promise<Played> {
  const heard: ToolResult[] = [];
  let offered: OfferedTools | undefined;
  const lane = scriptedLane(async function* (asked, signal) {
    offered = asked.offered;
    for (const call of calls) {
      if (signal.aborted || offered === undefined) break;
      offered.announce(call);
      // An agent that is stopped does not wait for its calls.
      const result = await Promise.race([offered.call(call, signal), aborted(signal)]);
      if (result !== undefined) heard.push(result);
    }
    yield signal.aborted ? [{ type: "turn-end", outcome: outcomeOfStop(signal) }] : [completedEnd];
  });
  const policy = { mode: "full", rules: [] } as const;
  const toolbox = { policy, servers: [], spawner, env: testEnv, outputsDir: directory, ...settings };
  engine = scriptedEngine(lane, directory, { toolbox });
  const turn = await engine.startTurn({ prompt: "Go on", workspace: directory, ...request });
  return { turn, heard, offered: () => offered };
}

const byGateway = (): Partial<TurnRequest> => ({ gatewayTools: { system: "", realWorkspace: project } });
const byClient: Partial<TurnRequest> = { clientTools: { tools: [{ name: "look", inputSchema: {} }], system: "" } };
const look = (at: string): ToolCall => ({ name: "look", input: { at } });

/** Answers every parked call with the same words. */
async function answerAll({ turn }: Played, answer: ToolResult): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const batch of turn.follow()) {
    events.push(...batch.map(({ event }) => event));
    for (const { callId } of turn.parked?.open() ?? []) turn.parked?.answer(callId, answer);
  }
  return events;
}

const typesOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.map((event) => (event.type === "tool-result" ? `result ${event.status}` : event.type));
const ownersOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "tool-call" ? [event.owner] : []));
const outcomeOf = (events: readonly AgentEvent[]) => events.findLast((event) => event.type === "turn-end")?.outcome;

describe("calls that the gateway runs", () => {
  it("are decided, run and answered at once, and nothing waits for a client", async () => {
    const played = await start([{ name: "exec", input: { command: "pwd; exit 3" } }], byGateway());
    const events = await follow(played.turn);
    assertWellFormedTurn(events);
    expect([played.turn.parked, typesOf(events)]).toEqual([
      undefined,
      ["turn-start", "tool-call", "approval-request", "approval-answer", "tool-output", "result error", "turn-end"],
    ]);
    expect(events[1]).toMatchObject({ name: "exec", kind: "shell", owner: "gateway" });
    expect(events[5]).toMatchObject({ exitCode: 3, durationMs: expect.any(Number) });
    expect(played.heard).toEqual([{ text: expect.stringContaining(project), isError: true, exitCode: 3 }]);
  });

  it("are not run against the policy, and the agent hears why", async () => {
    const rules = [{ effect: "deny", path: "secret.txt" }] as const;
    const call = { name: "write", input: { path: "secret.txt", content: "x" } };
    const { turn, heard } = await start([call], byGateway(), { policy: { mode: "full", rules } });
    expect(typesOf(await follow(turn))).toContain("result rejected");
    expect(heard).toEqual([
      { text: "write was not run: a rule says so: deny path `secret.txt`", isError: true, isRejected: true },
    ]);
  });

  it("are rejected when there is no such tool, or when its schema does not accept them", async () => {
    const calls = [
      { name: "launch", input: {} },
      { name: "read", input: { surprise: true } },
    ];
    const { turn } = await start(calls, byGateway());
    const events = await follow(turn);
    expect(typesOf(events).filter((type) => type.startsWith("result"))).toEqual(["result rejected", "result rejected"]);
  });

  it("end with their turn, which is not settled before they are", async () => {
    const { turn } = await start([{ name: "exec", input: { command: "echo $$ > pid; exec sleep 60" } }], byGateway());
    const noted = (): number => Number(tryRead(join(project, "pid")));
    await eventually(() => noted() > 0, "the command runs");
    const pid = noted();
    turn.cancel();
    const events = await follow(turn);
    await turn.settled;
    assertWellFormedTurn(events);
    expect({
      outcome: outcomeOf(events),
      isInterrupted: typesOf(events).includes("result interrupted"),
      isRunning: isRunning(pid),
    }).toEqual({ outcome: { kind: "cancelled" }, isInterrupted: true, isRunning: false });
  });

  it("reach the tools of MCP servers, and say which server could not be reached", async () => {
    const example = fileURLToPath(new URL("../../tools/mcp/testing/example-server.ts", import.meta.url));
    const common = { transport: "stdio", cwd: directory } as const;
    const servers = [
      { ...common, name: "example", command: process.execPath, args: [example, join(directory, "pids")] },
      { ...common, name: "gone", command: join(directory, "nothing"), args: [] },
    ];
    const played = await start([{ name: "example__echo", input: { text: "hello" } }], byGateway(), { servers });
    const events = await follow(played.turn);
    expect(events.find((event) => event.type === "tool-call")).toMatchObject({ server: "example", kind: "mcp" });
    expect(played.heard).toEqual([{ text: "hello", isError: false }]);
    expect(played.offered()?.tools.map(({ name }) => name)).toContain("example__echo");
    expect(events.find((event) => event.type === "notice")?.message).toContain("The MCP server gone offers no tools");
  }, 20_000);
});

describe("an agent that goes in circles", () => {
  it("is warned, then refused, then stopped, and the client hears of no refused call", async () => {
    const played = await start(Array(9).fill(look("it")), byClient);
    const events = await answerAll(played, { text: "Error: no such file", isError: true });
    assertWellFormedTurn(events);
    expect(outcomeOf(events)).toMatchObject({ kind: "failed", error: { code: "loop-stopped" } });
    expect(ownersOf(events)).toEqual(["client", "client", "client", "gateway"]);
    expect(played.heard.map(({ text }) => text.split("\n").length)).toEqual([1, 1, 3, 1, 1]);
    expect(played.heard[2]?.text).toContain("Caution: look was called 3 times");
    expect(played.heard[3]?.text).toContain("was not made");
  });

  it("is known by the words of a failure where the protocol has no flag for it", async () => {
    const played = await start(Array(5).fill(look("it")), byClient);
    const events = await answerAll(played, { text: "Error: no such file", isError: false });
    expect(outcomeOf(events)).toMatchObject({ kind: "failed", error: { code: "loop-stopped" } });
  });

  it("is not one that looks at other things", async () => {
    const played = await start(["a", "b", "c", "d", "e", "f"].map(look), byClient);
    const events = await answerAll(played, { text: "Error: no such file", isError: true });
    expect({ outcome: outcomeOf(events), hasNotice: events.some(({ type }) => type === "notice") }).toEqual({
      outcome: { kind: "completed" },
      hasNotice: false,
    });
  });
});

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
}

function tryRead(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not written yet
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
}
