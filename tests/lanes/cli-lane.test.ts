import { featuresOf } from "@caret/runtime";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { describe } from "vitest";
import { describeLane } from "./lane.contract.ts";

describeLane("cli, over the simulated program", {
  lane: "cli",
  features: featuresOf.cli,
  async open(bench, scenario, settings) {
    const { engine, close } = await bench.open({ settings });
    const workspace = bench.workspace(bench.simulator(scenario));
    return {
      engine,
      workspace,
      runs: () => bench.invocations().filter(({ cwd }) => cwd === workspace).length,
      leftovers: () => bench.processes(workspace).length,
      close,
    };
  },
});

// The same lane with another dialect, whose calls are tested in lanes/cli/contract-calls.
describe.runIf(isFullRun())("the lane with a program that speaks the contract", () => {
  describeLane("contract, a program of one's own", {
    lane: "cli",
    features: featuresOf.contract,
    async open(bench, scenario, settings) {
      const own = { command: bench.agentPath, args: ["--contract"] };
      const { engine, close } = await bench.open({ settings: { ...settings, model: "own", models: { own } } });
      const workspace = bench.workspace(bench.simulator(scenario));
      return {
        engine,
        workspace,
        runs: () => bench.invocations().filter(({ cwd }) => cwd === workspace).length,
        leftovers: () => bench.processes(workspace).length,
        close,
      };
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
      const { engine, close } = await bench.open({ settings: { ...settings, lane: "sim" }, env });
      const workspace = bench.workspace();
      return {
        engine,
        workspace,
        runs: () => bench.invocations().filter(({ cwd }) => cwd === workspace).length,
        leftovers: () => bench.processes(workspace).length,
        close,
      };
    },
  });
});
