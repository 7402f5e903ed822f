import { featuresOf } from "@caret/runtime";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { describe } from "vitest";
import type { TurnBench } from "../turns/turn-bench.ts";
import { describeLane, type LaneStage } from "./lane.contract.ts";

/** An engine whose agents are counted by their workspace. */
function watched(bench: TurnBench, opened: Pick<LaneStage, "engine" | "close">, workspace: string): LaneStage {
  return {
    ...opened,
    workspace,
    runs: () => bench.invocations().filter(({ cwd }) => cwd === workspace).length,
    leftovers: () => bench.processes(workspace).length,
  };
}

describeLane("cli, over the simulated program", {
  lane: "cli",
  features: featuresOf.cli,
  async open(bench, scenario, settings) {
    return watched(bench, await bench.open({ settings }), bench.workspace(bench.simulator(scenario)));
  },
});

// The same lane with another dialect, whose calls are tested in lanes/cli/contract-calls.
describe.runIf(isFullRun())("the lane with a program that speaks the contract", () => {
  describeLane("contract, a program of one's own", {
    lane: "cli",
    features: featuresOf.contract,
    async open(bench, scenario, settings) {
      const own = { command: bench.agentPath, args: ["--contract"] };
      const opened = await bench.open({ settings: { ...settings, model: "own", models: { own } } });
      return watched(bench, opened, bench.workspace(bench.simulator(scenario)));
    },
  });
});

// It is the same lane with the simulator for its program, and every test in tests/clients and tests/native runs on it.
describe.runIf(isFullRun())("the lane without a program of Cursor's", () => {
  describeLane("sim", {
    lane: "sim",
    features: featuresOf.sim,
    async open(bench, scenario, settings) {
      const env = scenario === undefined ? {} : { CARET_SIM_SCENARIO: bench.scenario(scenario) };
      return watched(bench, await bench.open({ settings: { ...settings, lane: "sim" }, env }), bench.workspace());
    },
  });
});
