import { featuresOf } from "@caret/runtime";
import { describeLane } from "./lane.contract.ts";

describeLane("acp, over the simulated program", {
  lane: "acp",
  features: featuresOf.acp,
  async open(bench, scenario, settings) {
    const { engine, close } = await bench.open({ settings: { ...settings, lane: "acp" }, keepWarm: true });
    const workspace = bench.workspace(bench.simulator(scenario));
    return {
      engine,
      workspace,
      runs: () => bench.acpRequests("session/prompt").length,
      leftovers: () => bench.processes(workspace).length - bench.acpProcesses(workspace).length,
      close,
    };
  },
});
