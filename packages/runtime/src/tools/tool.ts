import { CaretError, type ErrorCode, type FileDiff, type ToolKind } from "@caret/protocol";
import type { OutcomeClass } from "../calls/tool-call.ts";
import type { ExactAsk, ToolData } from "../calls/tool-data.ts";
import type { ChildCommand, Spawner } from "../process/child-handle.ts";
import type { Containment } from "../process/containment.ts";
import type { ToolEditor } from "./tool-editor.ts";

/** Codes with a meaning of their own for a tool's failure; every other code is an error of the tool. */
const classes: Partial<Record<ErrorCode, Failure>> = {
  "invalid-request": "validation",
  "not-found": "not_found",
  "tool-unknown": "not_found",
  forbidden: "permission",
  "workspace-forbidden": "permission",
  "timed-out": "timeout",
  internal: "unknown",
};

export interface ToolContext {
  /** The directory the turn works in. Every path of a call is relative to it and stays inside it. */
  readonly workspace: string;
  /** Where the paths of this call may lead, from the workspace and free of links; undefined: anywhere in it. */
  readonly judgedPaths?: readonly string[] | undefined;
  /** Files that a call must not open when it comes across them, by their paths from the workspace; undefined: none. */
  readonly leavesOut?: ((path: string) => boolean) | undefined;
  /**
   * The state a person was shown before the call was approved, as its preview gave it; undefined: nobody was. A tool with
   * a preview does nothing when the state is another by now.
   */
  readonly shownState?: string | undefined;
  /** A tool stops when it fires, and has ended everything it started when its promise settles. */
  readonly signal: AbortSignal;
  /** Called with what a command prints, as it comes. */
  readonly onOutput?: ((text: string) => void) | undefined;
  readonly spawner: Spawner;
  /** What holds together all that a call starts, where the machine has something for it. */
  readonly containment?: Containment | undefined;
  /** Puts a command into the turn's sandbox; undefined: the turn has none. */
  readonly enclose?: ((command: ChildCommand) => ChildCommand) | undefined;
  /** The editor that has the turn's session open; undefined: none may be used. */
  readonly editor?: ToolEditor | undefined;
  /** The call in the log; undefined outside of a turn. */
  readonly callId?: string | undefined;
  /** The call is made for a program, which needs data; undefined: for a model, which reads words. */
  readonly exact?: ExactAsk | undefined;
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
  /** Of a call with `exact`. */
  readonly data?: ToolData;
}

/** What a call would do, found out without doing any of it. */
export interface CallPreview {
  /** In a sentence, for the person who is asked. */
  readonly effect?: string;
  /** The change that would be made, from the file as it is now. */
  readonly diff?: FileDiff;
  /** Different for two different states of what the preview was made from. */
  readonly state?: string;
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
  /** What `run` would do. Fails as `run` would when it could not be done, so that no person is asked about it. */
  preview?(input: unknown, context: ToolContext): Promise<CallPreview>;
}

interface TypedTool<Input> extends Omit<Tool, "run" | "preview"> {
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
  preview?(input: Input, context: ToolContext): Promise<CallPreview>;
}

/** Gives validated input its type: `Input` must match `inputSchema`. */
export function defineTool<Input>(tool: TypedTool<Input>): Tool {
  const { preview } = tool;
  return {
    ...tool,
    run: (input, context) => tool.run(input as Input, context),
    ...(preview === undefined ? {} : { preview: (input, context) => preview(input as Input, context) }),
  };
}

type Failure = Exclude<OutcomeClass, "success">;

/** A tool's failure as an output. The message is for the model; the cause stays here. */
export function toFailedOutput(
  reason: unknown,
  { exact }: Pick<ToolContext, "exact">,
): ToolOutput & { readonly failure: Failure } {
  const error = CaretError.from(reason);
  const upstream = error.upstream === undefined ? "" : `\n${error.upstream}`;
  const data = exact === undefined ? {} : { data: { kind: "failed", code: error.code } as const };
  return { output: `${error.message}${upstream}`, failure: classes[error.code] ?? "tool_error", ...data };
}
