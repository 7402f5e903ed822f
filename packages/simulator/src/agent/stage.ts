import type { CatalogueModel } from "../config/model-catalogue.ts";
import type { Simulation } from "../config/simulation.ts";
import type { McpHub } from "../mcp/mcp-hub.ts";
import type { ModelCall, ModelMessage } from "../model/model.ts";
import type { TurnUsage } from "../output/result-event.ts";
import type { TurnOutput, TurnStart } from "../output/turn-output.ts";
import type { ByteWriter } from "../process/byte-writer.ts";
import type { Faults } from "../scenario/faults.ts";
import type { Asker } from "../tools/asker.ts";
import type { Pace } from "./split-deltas.ts";

export interface CallAnswer {
  readonly call: ModelCall;
  readonly ok: boolean;
  readonly output: string;
}

/** One call to act out, with the two oddities that real streams show. */
export interface StagedCall extends ModelCall {
  /** `false`: no `started` event, as for calls that fail before they begin. */
  readonly started?: boolean;
  /** How often `completed` is shown; 0 leaves the call open. */
  readonly completed?: number;
}

export interface Ending {
  readonly isError?: boolean;
  readonly subtype?: "success" | "error";
  readonly text?: string;
  /** `undefined` reports what was added up; `false` leaves the usage out, as older versions did. */
  readonly usage?: TurnUsage | false;
}

/**
 * What a turn can do, whatever words are spoken outside. A mind (the rule model or a scenario) plays on it; the CLI's
 * output formats and the contract dialect are what the audience sees.
 */
export interface Stage {
  /** The conversation so far: earlier turns, this turn's prompt, and what has happened since. */
  readonly messages: readonly ModelMessage[];
  /** Shows the opening events; every other act does so by itself when it comes first. */
  open(): void;
  think(text: string, pace?: Pace): Promise<void>;
  say(text: string, pace?: Pace): Promise<void>;
  /** Runs the calls side by side and answers when all of them have. */
  call(calls: readonly StagedCall[]): Promise<readonly CallAnswer[]>;
  event(event: Readonly<Record<string, unknown>>): void;
  addUsage(usage: TurnUsage): void;
  /** Ends the turn; acts after it are shown all the same, because real streams have such tails. */
  finish(ending?: Ending): Promise<void>;
}

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
  /** Absent in print mode: nobody is asked. */
  readonly asker?: Asker;
  /** The MCP servers, where they outlive the turn. */
  readonly mcp?: () => Promise<McpHub>;
  /** Steps that misbehave in another way here than in print mode. */
  readonly faults?: Partial<Faults>;
}
