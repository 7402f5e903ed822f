import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assertWellFormedTurn } from "@caret/protocol";
import type { RunningTurn, SessionEngine, TurnRequest } from "@caret/runtime";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
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

interface Places {
  readonly workspace: string;
  readonly realWorkspace: string;
}

const weather = { name: "get_weather", description: "The weather", inputSchema: { type: "object" } } as const;
const byAgent = (): Partial<TurnRequest> => ({ force: true });
const byClient = (): Partial<TurnRequest> => ({ clientTools: { tools: [weather], system: "" } });
const byGateway = ({ workspace, realWorkspace }: Places): Partial<TurnRequest> => ({
  agentWorkspace: workspace,
  workspace: realWorkspace,
  gatewayTools: { system: "", realWorkspace, permission: "full" },
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
  { name: "cli, tools of the gateway", lane: "cli", scenario: asksGateway, request: byGateway },
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
  { name: "acp, tools of the client", lane: "acp", scenario: asksClient, request: byClient },
  { name: "acp, tools of the gateway", lane: "acp", scenario: asksGateway, request: byGateway },
  { name: "api, tools of the client", lane: "api", scenario: asksClient, request: byClient },
  { name: "api, tools of the gateway", lane: "api", scenario: asksGateway, request: byGateway },
];

/** Which write of the turn is the first that waits; in the last of them only those of the stop itself do. */
const stages = Array.from(
  { length: barSize({ quick: 3, full: 8 }) },
  (_, index) => index * barSize({ quick: 2, full: 1 }),
);

describe.each(works)("$name", ({ lane, agent, scenario, request }) => {
  let bench: TurnBench;
  let engine: SessionEngine;
  let log: HeldLog;
  let api: ApiStage | undefined;
  beforeEach(async () => {
    bench = new TurnBench();
    const models = { custom: { command: bench.agentPath, args: [], promptAsArg: false } };
    const settings: BenchSettings = { lane, models };
    if (lane === "api") {
      api = await openApiStage(bench, { settings, ...(scenario && { scenario: scenario(tickInto(bench)) }) });
      engine = api.opened.engine;
    } else engine = (await bench.open({ settings })).engine;
    log = new HeldLog(engine.store);
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

  test.each(stages)("a turn whose log waits from write %i on is ended before the log is there again", async (stage) => {
    const tick = tickInto(bench);
    const workspace = bench.workspace(
      agent?.(tick) ?? (lane === "api" ? undefined : bench.simulator(scenario?.(tick))),
    );
    const places = { workspace, realWorkspace: bench.workspace() };
    log.holdFrom(stage);
    const begun = await engine.beginTurn({ prompt: "Go on", workspace, ...request(places) });
    const isFar = (): boolean => log.waiting > 0 || log.writes > 2;
    await eventually(() => isFar() && atWork(workspace) > 0, "the turn to be at work");
    log.holdFrom(0);
    begun.cancel("You stopped the turn");
    await eventually(() => atWork(workspace) === 0, "everything at work for the turn to be gone");
    const written = ledgerOf(bench);
    expect(log.waiting).toBeGreaterThan(0);
    log.release();
    expect(endOf(await begun.outcome)).toBe("cancelled");
    await begun.settled;
    expect([ledgerOf(bench), atWork(workspace)]).toEqual([written, 0]);
    await wellFormed(engine, begun);
  });
});

function tickInto(bench: TurnBench): string {
  return `while :; do echo tick >> '${join(bench.directory, "ledger")}'; sleep 0.02; done`;
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
