import { CaretError, type ErrorCode, type FileDiff, type ToolKind } from "@caret/protocol";
import type { OutcomeClass } from "../calls/tool-call.ts";
import type { ExactAsk, ToolData } from "../calls/tool-data.ts";
import type { ChildCommand, Spawner } from "../process/child-handle.ts";
import type { Containment } from "../process/containment.ts";
import type { ToolEditor } from "./tool-editor.ts";

/** Error codes with a specific failure class; all others are the tool's own errors. */
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
  /** The directory the turn works in. All paths of a call are relative to it and stay inside it. */
  readonly workspace: string;
  /** The paths this call can resolve to, relative to the workspace and free of links. Undefined: anywhere in it. */
  readonly judgedPaths?: readonly string[] | undefined;
  /** Whether a call must skip a file it comes across, by its path from the workspace. Undefined: none. */
  readonly leavesOut?: ((path: string) => boolean) | undefined;
  /**
   * The preview state shown to a person before approval; undefined if nobody was asked. A tool with a preview does nothing if the state has
   * changed since.
   */
  readonly shownState?: string | undefined;
  /** Aborting stops the tool; when its promise settles, everything it started has ended. */
  readonly signal: AbortSignal;
  /** Called with a command's output as it arrives. */
  readonly onOutput?: ((text: string) => void) | undefined;
  readonly spawner: Spawner;
  /** Contains everything a call starts, if the machine supports it. */
  readonly containment?: Containment | undefined;
  /** Puts a command into the turn's sandbox. Undefined if the turn has none. */
  readonly enclose?: ((command: ChildCommand) => ChildCommand) | undefined;
  /** The editor that has the turn's session open. Undefined if none can be used. */
  readonly editor?: ToolEditor | undefined;
  /** The call's id in the log. Undefined outside of a turn. */
  readonly callId?: string | undefined;
  /** Set if the call is made for a program, which needs data; undefined for a model, which reads text. */
  readonly exact?: ExactAsk | undefined;
  /** The gateway's own environment; a tool selects what a child sees of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds; only differences matter. */
  readonly now: () => number;
}

export interface ToolOutput {
  readonly output: string;
  /** Set if the tool ran without success: a failed command, an error reported by a server. */
  readonly failure?: Exclude<OutcomeClass, "success">;
  readonly exitCode?: number;
  readonly diff?: FileDiff;
  /** Only for calls with `exact`. */
  readonly data?: ToolData;
}

/** What a call would do, determined without doing any of it. */
export interface CallPreview {
  /** A sentence for the person who is asked. */
  readonly effect?: string;
  /** The proposed change, relative to the file as it is now. */
  readonly diff?: FileDiff;
  /** Differs between states of what the preview was made from. */
  readonly state?: string;
}

/** A JSON Schema; MCP servers can send any. */
export type InputSchema = Readonly<Record<string, unknown>>;

/**
 * A tool the gateway runs for the agent.
 *
 * `run` is called only with input that the schema accepts. It fails by throwing a CaretError whose message is for the model: what went
 * wrong, and what to do instead.
 */
export interface Tool {
  readonly name: string;
  /** Other names by which models and clients know it. */
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly kind: ToolKind;
  /** Time limit of a call in milliseconds. */
  readonly timeLimitMs?: number;
  run(input: unknown, context: ToolContext): Promise<ToolOutput>;
  /** Describes what `run` would do. Fails as `run` would, so no person is asked about an impossible call. */
  preview?(input: unknown, context: ToolContext): Promise<CallPreview>;
}

interface TypedTool<Input> extends Omit<Tool, "run" | "preview"> {
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
  preview?(input: Input, context: ToolContext): Promise<CallPreview>;
}

/** Types validated input: `Input` must match `inputSchema`. */
export function defineTool<Input>(tool: TypedTool<Input>): Tool {
  const { preview } = tool;
  return {
    ...tool,
    run: (input, context) => tool.run(input as Input, context),
    ...(preview === undefined ? {} : { preview: (input, context) => preview(input as Input, context) }),
  };
}

type Failure = Exclude<OutcomeClass, "success">;

/** Converts a failure to an output. The message is for the model; the cause stays here. */
export function toFailedOutput(
  reason: unknown,
  { exact }: Pick<ToolContext, "exact">,
): ToolOutput & { readonly failure: Failure } {
  const error = CaretError.from(reason);
  const upstream = error.upstream === undefined ? "" : `\n${error.upstream}`;
  const data = exact === undefined ? {} : { data: { kind: "failed", code: error.code } as const };
  return { output: `${error.message}${upstream}`, failure: classes[error.code] ?? "tool_error", ...data };
}
