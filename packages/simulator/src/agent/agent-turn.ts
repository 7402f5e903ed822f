import type { CatalogueModel } from "../cli/model-catalogue.ts";
import type { Simulation } from "../cli/simulation.ts";
import type { ByteWriter } from "../output/byte-writer.ts";
import type { TurnOutput, TurnStart } from "../output/turn-output.ts";

/** Everything decided before a turn begins. */
export interface AgentTurn {
  readonly simulation: Simulation;
  readonly start: TurnStart;
  readonly model: CatalogueModel;
  readonly mode: "agent" | "plan" | "ask";
  readonly force: boolean;
  readonly approveMcps: boolean;
  /** Wire keys (`shellToolCall`) of `--exclude-tools`. */
  readonly excludedTools: readonly string[];
  /** As the user named it; `start.cwd` is its physical path. */
  readonly workspace: string;
  readonly chatsDir: string;
  readonly projectDir: string;
  /** How long commands in the background are waited for at the end; without it, for as long as they run. */
  readonly backgroundShellTimeoutMs: number | undefined;
  readonly output: TurnOutput;
  readonly writer: ByteWriter;
}
