import { createHook } from "node:async_hooks";
import { CaretError, type LaneName } from "@caret/protocol";
import type { RunningTurn, SessionEngine, TurnRequest } from "@caret/runtime";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf } from "../turns/play-turn.ts";
import { type BenchSettings, TurnBench } from "../turns/turn-bench.ts";
import { openApiStage } from "./api-bench.ts";

/** How a lane's engine is opened over an upstream that plays a scenario. */
type OpenLane = (bench: TurnBench, scenario: ScenarioInput, settings: BenchSettings) => Promise<Opened>;

interface Opened {
  readonly engine: SessionEngine;
  readonly workspace: string;
  close(): Promise<void>;
}

const lanes: Readonly<Record<string, OpenLane>> = {
  async "stream-json"(bench, scenario, settings) {
    const workspace = bench.workspace(bench.simulator(scenario));
    return { ...(await bench.open({ settings })), workspace };
  },
  async contract(bench, scenario, settings) {
    const own = { command: bench.agentPath, args: ["--contract"] };
    const workspace = bench.workspace(bench.simulator(scenario));
    return { ...(await bench.open({ settings: { ...settings, model: "own", models: { own } } })), workspace };
  },
  async api(bench, scenario, settings) {
    const stage = await openApiStage(bench, { scenario, settings });
    return { engine: stage.opened.engine, workspace: bench.workspace(), close: stage.close };
  },
  ...(isFullRun() && {
    async payload(bench: TurnBench, scenario: ScenarioInput, settings: BenchSettings) {
      const workspace = bench.workspace(`export CARET_SIM_DIALECT=payload; ${bench.simulator(scenario)}`);
      return { ...(await bench.open({ settings })), workspace };
    },
    async acp(bench: TurnBench, scenario: ScenarioInput, settings: BenchSettings) {
      const workspace = bench.workspace(bench.simulator(scenario));
      return { ...(await bench.open({ settings: { ...settings, lane: "acp" as LaneName } })), workspace };
    },
    async sim(bench: TurnBench, scenario: ScenarioInput, settings: BenchSettings) {
      const env = { CARET_SIM_SCENARIO: bench.scenario(scenario) };
      return {
        ...(await bench.open({ settings: { ...settings, lane: "sim" as LaneName }, env })),
        workspace: bench.workspace(),
      };
    },
  }),
};

/** What we end a turn for. */
interface Stop {
  readonly steps: readonly object[];
  readonly settings?: BenchSettings;
  readonly request?: (workspace: string) => Partial<TurnRequest>;
  readonly meanwhile?: (turn: RunningTurn, engine: SessionEngine) => unknown;
  /** How the turn ends: `cancelled`, or the code of its failure. */
  readonly end: string;
  /** The dialects that have it; absent: all. */
  readonly only?: readonly string[];
}

/** Where it is Caret that refuses a call of a tool that nobody offers: elsewhere the agent's own program does. */
const refusing = ["contract", "api"];
const speaks = [{ text: "Half." }, { hang: true }];
const calls = (count: number, name: string, args: (index: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ tool: { server: "caret", name, args: args(index) } }));

const look = { name: "look", inputSchema: { type: "object", properties: { at: { type: "string" } } } } as const;
const byClient = (): Partial<TurnRequest> => ({ clientTools: { tools: [look], system: "" } });
const byGateway = (realWorkspace: string): Partial<TurnRequest> => ({ gatewayTools: { system: "", realWorkspace } });

const whenItSpeaks = (act: (turn: RunningTurn) => void) => async (turn: RunningTurn) => {
  for await (const batch of turn.follow()) if (batch.some(({ event }) => event.type === "text-delta")) return act(turn);
};
const answering = (isError: boolean) => async (turn: RunningTurn) => {
  for await (const batch of turn.follow())
    for (const { event } of batch)
      if (event.type === "tool-call") turn.parked?.answer(event.callId, { text: "the same", isError });
};

const stops: Readonly<Record<string, Stop>> = {
  "a person who stops it": {
    steps: speaks,
    meanwhile: whenItSpeaks((turn) => turn.cancel("Enough")),
    end: "cancelled",
  },
  "a person who stops it while a call waits": {
    steps: calls(1, "look", () => ({ at: "it" })),
    request: byClient,
    async meanwhile(turn) {
      await eventually(() => (turn.parked?.open().length ?? 0) > 0, "the call to wait");
      turn.cancel("Enough");
    },
    end: "cancelled",
  },
  "the gateway, which drains": {
    steps: speaks,
    meanwhile: whenItSpeaks((turn) => turn.interrupt(new CaretError("interrupted", "The gateway drains"))),
    end: "interrupted",
  },
  "the clock of silence": { steps: speaks, settings: { clocks: { idleMs: 300 } }, end: "stalled" },
  "the clock of the turn": { steps: speaks, settings: { clocks: { turnMs: 700 } }, end: "timed-out" },
  "its budget": {
    steps: [{ event: { type: "usage", promptTokens: 900, completionTokens: 200 } }, ...speaks],
    settings: { budgets: { turn: { tokens: 1_000 } } },
    end: "budget-exceeded",
    only: ["contract"],
  },
  "the loop guard, for a client's call": {
    steps: calls(12, "look", () => ({ at: "it" })),
    request: byClient,
    meanwhile: answering(false),
    end: "loop-stopped",
  },
  "the loop guard, for a client's call that fails": {
    steps: calls(12, "look", () => ({ at: "it" })),
    request: byClient,
    meanwhile: answering(true),
    end: "loop-stopped",
  },
  "the loop guard, for a call that the gateway runs": {
    steps: calls(12, "ls", () => ({ path: "." })),
    request: byGateway,
    end: "loop-stopped",
  },
  "the loop guard, for a call that the policy denies": {
    steps: calls(12, "exec", () => ({ command: "touch made.txt" })),
    request: byGateway,
    end: "loop-stopped",
  },
  "the loop guard, for calls that the schema refuses": {
    steps: calls(30, "read", (index) => ({ file: { name: index } })),
    request: byGateway,
    end: "loop-stopped",
  },
  "the loop guard, for calls of a tool that nobody offers": {
    steps: calls(30, "launch", (index) => ({ rocket: index })),
    request: byGateway,
    end: "loop-stopped",
    only: refusing,
  },
  "the loop guard, for calls of one tool after the other that nobody offers": {
    steps: Array.from({ length: 30 }, (_, index) => calls(1, `launch-${index}`, () => ({}))).flat(),
    request: byClient,
    end: "loop-stopped",
    only: refusing,
  },
  "the loop guard, for calls that the schema refuses, which are not passed on": {
    steps: calls(30, "read", (index) => ({ file: { name: index } })),
    settings: { tools: { boundaryFallback: false } },
    request: byGateway,
    end: "loop-stopped",
    only: ["contract", "stream-json"],
  },
  "the loop guard, for a client's calls that the schema refuses": {
    steps: calls(30, "look", (index) => ({ at: [index] })),
    settings: { tools: { boundaryFallback: false } },
    request: byClient,
    end: "loop-stopped",
    only: ["contract"],
  },
  "the loop guard, for calls where no tool is offered": {
    steps: calls(30, "ls", (index) => ({ path: `${index}` })),
    end: "loop-stopped",
    only: ["contract"],
  },
  "the log, which takes no more": {
    steps: speaks,
    async meanwhile(turn, { store }) {
      await whenItSpeaks(() => undefined)(turn);
      store.append = () => Promise.reject(new CaretError("storage-full", "The disk is full"));
      turn.cancel("Enough");
    },
    end: "storage-full",
  },
};

/** Timers that are made from here on. */
function watchTimers() {
  const made = new Set<NodeJS.Timeout>();
  const init = (_: number, type: string, __: number, timer: object): void => {
    if (type === "Timeout") made.add(timer as NodeJS.Timeout);
  };
  const hook = createHook({ init }).enable();
  return {
    /** How many of them keep the process alive. */
    left: () => [...made].filter((timer) => timer.hasRef() && !isOver(timer)).length,
    close: () => void hook.disable(),
  };
}

/** Cleared, or run; Node says it nowhere else. */
function isOver(timer: NodeJS.Timeout): boolean {
  return (timer as { readonly _destroyed?: boolean })._destroyed === true;
}

describe.each(Object.entries(lanes))("a turn of an agent that speaks %s", (dialect, open) => {
  let bench: TurnBench;
  let opened: Opened | undefined;
  let timers: ReturnType<typeof watchTimers>;
  beforeEach(() => {
    timers = watchTimers();
    bench = new TurnBench();
  });
  afterEach(async () => {
    timers.close();
    await opened?.close();
    opened = undefined;
    await bench.remove();
  });

  const own = Object.entries(stops).filter(([, { only }], index) => {
    const having = only ?? Object.keys(lanes);
    // In the short run each stop meets one dialect, and each dialect some of the stops.
    return having.includes(dialect) && (isFullRun() || having[index % having.length] === dialect);
  });
  test.each(own)("ends when it is stopped by %s, and nothing of it is left", async (_, stop) => {
    const { steps, settings = {}, request, meanwhile, end } = stop;
    opened = await open(bench, { turns: [[...steps, { text: "Done." }]] as never }, settings);
    const { engine, workspace } = opened;
    const own = request?.(bench.workspace()) ?? {};
    const turn = await engine.startTurn({ prompt: "Go", workspace, ...own });
    await meanwhile?.(turn, engine);
    const outcome = await turn.outcome;
    await turn.settled;
    await opened.close();
    await eventually(() => bench.processes().length === 0, "its processes to be gone");
    await eventually(() => timers.left() === 0, "its timers to be gone", 5_000);
    expect(endOf(outcome)).toBe(end);
  });
});
