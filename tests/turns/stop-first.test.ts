import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenedEngine } from "@caret/cli/src/engine/compose.ts";
import { assertWellFormedTurn } from "@caret/protocol";
import { HurriedStop, type RunningTurn, type SessionEngine, type TurnRequest } from "@caret/runtime";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { delta, init } from "../faults/agent-lines.ts";
import { prints } from "../faults/fault.ts";
import { type ApiStage, openApiStage } from "../lanes/api-bench.ts";
import { HeldLog } from "./held-log.ts";
import { endOf } from "./play-turn.ts";
import { type BenchSettings, TurnBench } from "./turn-bench.ts";

/** A way to run a turn, and what of it works: each writes on and on into a ledger, or keeps a stream with the upstream open. */
interface Work {
  readonly name: string;
  readonly lane: "cli" | "acp" | "api";
  /** The agent, or what the simulator plays. `tick` is a command that writes into the ledger until it is ended. */
  readonly agent?: (tick: string) => string;
  readonly scenario?: (tick: string) => ScenarioInput;
  readonly request: (places: Places) => Partial<TurnRequest>;
}

type GatewayToolsRequest = NonNullable<TurnRequest["gatewayTools"]>;

interface Places {
  readonly workspace: string;
  readonly realWorkspace: string;
}

const weather = { name: "get_weather", description: "The weather", inputSchema: { type: "object" } } as const;
const byAgent = (): Partial<TurnRequest> => ({ force: true });
const byClient = (): Partial<TurnRequest> => ({ clientTools: { tools: [weather], system: "" } });
const byGateway = (
  { workspace, realWorkspace }: Places,
  more: Partial<GatewayToolsRequest> = {},
): Partial<TurnRequest> => ({
  agentWorkspace: workspace,
  workspace: realWorkspace,
  attended: true,
  gatewayTools: { system: "", realWorkspace, permission: "full", ...more },
});
const asksClient: Work["scenario"] = () => ({
  turns: [[{ text: "Asking." }, { tool: { server: "caret", name: "get_weather", args: {} } }, { hang: true }]],
});
const asksGateway: Work["scenario"] = (command) => ({
  turns: [[{ text: "Working." }, { tool: { server: "caret", name: "exec", args: { command } } }, { hang: true }]],
});
const contractLines = (...lines: readonly object[]): string =>
  `read -r turn\n${prints({ type: "protocol", data: { version: "1.0" } }, ...lines)}`;
const says = { type: "assistant_delta", data: { content: "Hm." } };
const calls = (name: string, args: object): object => ({ type: "tool_call", data: { callId: "c1", name, args } });

const works: readonly Work[] = [
  {
    name: "cli, tools of the agent",
    lane: "cli",
    agent: (tick) => `${prints(init, delta("Hm."))}${tick}`,
    request: byAgent,
  },
  { name: "cli, tools of the client", lane: "cli", scenario: asksClient, request: byClient },
  { name: "cli, tools of the gateway", lane: "cli", scenario: asksGateway, request: (places) => byGateway(places) },
  {
    name: "contract, tools of the program",
    lane: "cli",
    agent: (tick) => `${contractLines(says)}${tick}`,
    request: () => ({ model: "custom" }),
  },
  {
    name: "contract, tools of the client",
    lane: "cli",
    agent: (tick) => `${contractLines(says, calls("get_weather", {}))}${tick}`,
    request: () => ({ model: "custom", ...byClient() }),
  },
  {
    name: "contract, tools of the gateway",
    lane: "cli",
    agent: (tick) => `${contractLines(says, calls("exec", { command: tick }))}exec sleep 600`,
    request: (places) => ({ model: "custom", ...byGateway(places) }),
  },
  {
    name: "acp, tools of the agent",
    lane: "acp",
    scenario: (command) => ({
      turns: [[{ text: "Hm." }, { tool: { name: "shell", args: { command } } }, { hang: true }]],
    }),
    request: byAgent,
  },
  {
    name: "cli, a person is asked about a tool of the gateway",
    lane: "cli",
    scenario: asksGateway,
    request: (places) => byGateway(places, { permission: "supervised" }),
  },
  { name: "acp, tools of the client", lane: "acp", scenario: asksClient, request: byClient },
  { name: "acp, tools of the gateway", lane: "acp", scenario: asksGateway, request: (places) => byGateway(places) },
  { name: "api, tools of the client", lane: "api", scenario: asksClient, request: byClient },
  { name: "api, tools of the gateway", lane: "api", scenario: asksGateway, request: (places) => byGateway(places) },
];

/** Which write of the turn is the first that waits; in the last of them only those of the stop itself do. */
const stages = isFullRun() ? [0, 1, 2, 3, 4, 5] : [2];

/** Who or what stops a turn, how long it takes in settings, and how the turn then ends. */
interface Stop {
  readonly name: string;
  readonly settings?: BenchSettings;
  readonly act: (turn: RunningTurn, opened: OpenedEngine) => unknown;
  readonly ends: string;
}

const byPerson: Stop = { name: "a person", act: (turn) => stopTwice(turn), ends: "cancelled" };
const stopTwice = (turn: RunningTurn): void => {
  turn.cancel("You stopped the turn");
  turn.cancel("You stopped it again");
};
const leaseLost = () => new HurriedStop(100, "interrupted", "Another worker may have it");
const stops: readonly Stop[] = [
  { name: "a lost lease", act: (turn) => turn.interrupt(leaseLost()), ends: "interrupted" },
  { name: "a drain", act: (_, { close }) => void close(), ends: "interrupted" },
  { name: "a clock", settings: { clocks: { turnMs: 3_000 } }, act: () => undefined, ends: "timed-out" },
];

describe.each(works)("$name", ({ lane, agent, scenario, request }) => {
  let bench: TurnBench;
  let opened: OpenedEngine;
  let engine: SessionEngine;
  let log: HeldLog;
  let api: ApiStage | undefined;
  async function open(more: BenchSettings = {}): Promise<void> {
    const models = { custom: { command: bench.agentPath, args: [], promptAsArg: false } };
    const settings: BenchSettings = { lane, models, ...more };
    if (lane === "api")
      api = await openApiStage(bench, { settings, ...(scenario && { scenario: scenario(tickInto(bench)) }) });
    opened = api?.opened ?? (await bench.open({ settings }));
    engine = opened.engine;
    log = new HeldLog(engine.store);
  }
  beforeEach(() => {
    bench = new TurnBench();
  });
  afterEach(async () => {
    log.restore();
    await api?.close();
    api = undefined;
    await bench.remove();
  });

  /** What works for the turn and could still do something. A process of `agent acp` may stay, for other sessions. */
  const atWork = (workspace: string): number =>
    tickers(bench).length +
    (api?.upstream.openRuns ?? 0) +
    (lane === "acp" && request({ workspace, realWorkspace: workspace }).force ? 0 : bench.processes(workspace).length);

  /** Runs a turn beside a log that waits from one of its writes on, and has it stopped while it is at work. */
  async function stopped(stage: number, { settings, act, ends }: Stop, reads = false): Promise<void> {
    await open(settings);
    const tick = tickInto(bench);
    const workspace = bench.workspace(
      agent?.(tick) ?? (lane === "api" ? undefined : bench.simulator(scenario?.(tick))),
    );
    const places = { workspace, realWorkspace: bench.workspace() };
    log.holdFrom(stage);
    const turn = await engine.beginTurn({ prompt: "Go on", workspace, ...request(places) });
    const isFar = (): boolean => log.waiting > 0 || log.writes > 2;
    // Where even the start of the turn waits, a slow machine may give the turn up before it is stopped here.
    let isGivenUp = false;
    if (stage === 0) void turn.outcome.then((outcome) => (isGivenUp = endOf(outcome) === "overloaded"));
    await eventually(() => isGivenUp || (isFar() && atWork(workspace) > 0), "the turn to be at work");
    log.holdFrom(0, { reads });
    act(turn, opened);
    await eventually(() => atWork(workspace) === 0, "everything at work for the turn to be gone");
    const written = ledgerOf(bench);
    expect(log.waiting).toBeGreaterThan(0);
    log.release();
    expect(endOf(await turn.outcome)).toBe(isGivenUp ? "overloaded" : ends);
    await turn.settled;
    expect([ledgerOf(bench), atWork(workspace)]).toEqual([written, 0]);
    if (ends === "cancelled") await wellFormed(engine, turn);
  }

  test.each(stages)("a turn whose log waits from write %i on is ended before the log is there again", async (stage) => {
    await stopped(stage, byPerson);
  });

  test.runIf(isFullRun())("a turn whose database answers nothing is ended before it does", async () => {
    await stopped(1, byPerson, true);
  });

  test.runIf(isFullRun()).each(stops)("is ended by $name before the log is there again", async (stop) => {
    await stopped(3, stop);
  });
});

function tickInto(bench: TurnBench): string {
  // A command that heeds no polite signal is killed after its grace, which takes a moment longer.
  return `${isFullRun() ? "trap '' TERM; " : ""}while :; do echo tick >> '${join(bench.directory, "ledger")}'; sleep 0.02; done`;
}

function ledgerOf(bench: TurnBench): number {
  const path = join(bench.directory, "ledger");
  return existsSync(path) ? readFileSync(path, "utf8").length : 0;
}

/** The processes that write into the ledger. */
function tickers(bench: TurnBench): readonly string[] {
  const ledger = join(bench.directory, "ledger");
  return readdirSync("/proc").filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return /^\d+$/.test(pid) && words.includes("while :") && words.includes(ledger);
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

async function wellFormed(engine: SessionEngine, { sessionId, turnId }: RunningTurn): Promise<void> {
  const stored = await engine.store.read(sessionId, { limit: 10_000 });
  assertWellFormedTurn(stored.filter((entry) => entry.turnId === turnId).map(({ event }) => event));
}
