import { dirname } from "node:path";
import type { OpenedEngine } from "@caret/cli/src/engine/compose.ts";
import { featuresOf } from "@caret/runtime";
import { afterAll } from "vitest";
import { type BenchSettings, TurnBench } from "../turns/turn-bench.ts";
import { describeLane } from "./lane.contract.ts";

/** One engine for all tests of the same settings: each has a workspace, and so a process, of its own. */
const own = new TurnBench();
const engines = new Map<string, Promise<OpenedEngine>>();
afterAll(() => own.remove());

function engineWith(given: BenchSettings): Promise<OpenedEngine> {
  const key = JSON.stringify(given);
  // The benches of the tests lie beside this one.
  const settings = { ...given, lane: "acp", workspaces: { allow: [dirname(own.directory)] } };
  const opened = engines.get(key) ?? own.open({ settings, keepWarm: true });
  engines.set(key, opened);
  return opened;
}

describeLane("acp, over the simulated program", {
  lane: "acp",
  features: featuresOf.acp,
  isSlow: true,
  // Its failures in words are an answer's text where an answer stands before them.
  failsLate: { crash: "SIGKILL" },
  async open(_bench, scenario, settings) {
    const { engine } = await engineWith(settings);
    const workspace = own.workspace(own.simulator(scenario));
    const prompts = (): number => own.acpRequests("session/prompt").length;
    const before = prompts();
    return {
      engine,
      workspace,
      runs: () => prompts() - before,
      leftovers: () => own.processes(workspace).length - own.acpProcesses(workspace).length,
      close: async () => undefined,
    };
  },
});
