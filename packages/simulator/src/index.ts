export { simulatorCommand, upstreamCommand } from "./command.ts";
export { type Scenario, type ScenarioInput, scenarioSchema } from "./scenario/scenario.ts";
export type { Step } from "./scenario/step-shapes.ts";
