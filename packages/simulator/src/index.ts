import { fileURLToPath } from "node:url";

export { type Scenario, type ScenarioInput, scenarioSchema } from "./scenario/scenario.ts";
export type { Step } from "./scenario/step-shapes.ts";

/** How to start the simulator with the Node that runs now; the CLI's own arguments follow `args`. */
export function simulatorCommand(): { readonly file: string; readonly args: readonly string[] } {
  const entry = fileURLToPath(new URL("../bin/caret-sim-agent.js", import.meta.url));
  return { file: process.execPath, args: [entry] };
}
