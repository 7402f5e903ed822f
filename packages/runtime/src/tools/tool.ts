import type { FileDiff, ToolKind } from "@caret/protocol";
import type { Spawner } from "../process/child-handle.ts";
import type { Containment } from "../process/containment.ts";

/** What became of a call, as the loop guard tells calls apart. */
export type OutcomeClass = "success" | "validation" | "not_found" | "permission" | "timeout" | "tool_error" | "unknown";

export interface ToolContext {
  /** The directory the turn works in. Every path of a call is relative to it and stays inside it. */
  readonly workspace: string;
  /** Where the paths of this call may lead, from the workspace and free of links; undefined: anywhere in it. */
  readonly places?: readonly string[] | undefined;
  /** A tool stops when it fires, and has ended everything it started when its promise settles. */
  readonly signal: AbortSignal;
  readonly spawner: Spawner;
  /** What holds together all that a call starts, where the machine has something for it. */
  readonly containment?: Containment | undefined;
  /** The gateway's own environment; a tool chooses from it what a child may see. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
}

export interface ToolOutput {
  readonly output: string;
  /** Set when the tool ran and yet did not succeed: a command that failed, a server that said so. */
  readonly failure?: Exclude<OutcomeClass, "success">;
  readonly exitCode?: number;
  readonly diff?: FileDiff;
}

/** A JSON Schema; MCP servers send any. */
export type InputSchema = Readonly<Record<string, unknown>>;

/**
 * Something the gateway runs for the agent.
 *
 * `run` is only called with input that the schema accepts. It fails by throwing a CaretError whose message is for the
 * model to read: what went wrong, and what to do instead.
 */
export interface Tool {
  readonly name: string;
  /** Other names that models and clients know it by. */
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly kind: ToolKind;
  /** How long a call may take, in milliseconds. */
  readonly timeLimitMs?: number;
  run(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

interface TypedTool<Input> extends Omit<Tool, "run"> {
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** The one place where validated input gets its type: `Input` must say what `inputSchema` says. */
export function defineTool<Input>(tool: TypedTool<Input>): Tool {
  return { ...tool, run: (input, context) => tool.run(input as Input, context) };
}
