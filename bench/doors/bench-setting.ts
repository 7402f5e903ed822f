import type { BuiltAgents } from "./build-agents.ts";

/** What every figure is measured with. */
export interface BenchSetting extends BuiltAgents {
  readonly directory: string;
  /** Fewer rounds: good enough to see what is far off. */
  readonly quick: boolean;
}
