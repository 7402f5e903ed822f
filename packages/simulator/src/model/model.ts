/** A JSON Schema as an MCP server gives it: untouched, unchecked. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool that an MCP server offers, under whatever name and schema its author chose. */
export interface OfferedTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
}

/** The agent's own tools, by the names its wire uses (`shell` travels as `shellToolCall`). */
export const nativeToolNames = [
  "shell",
  "read",
  "edit",
  "write",
  "delete",
  "grep",
  "glob",
  "ls",
  "updateTodos",
  "webFetch",
  "webSearch",
  "task",
  "askQuestion",
  "createPlan",
] as const;
export type NativeToolName = (typeof nativeToolNames)[number];

/** One call the model wants made; with `server` it goes to an MCP tool, without it to a native one. */
export interface ModelCall {
  readonly server?: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ModelCall[] }
  | { readonly role: "tool"; readonly call: ModelCall; readonly ok: boolean; readonly output: string };

export interface ModelRequest {
  /** The whole conversation, oldest first, earlier turns included. */
  readonly messages: readonly ModelMessage[];
  readonly nativeTools: readonly NativeToolName[];
  readonly offeredTools: readonly OfferedTool[];
  readonly mode: "agent" | "plan" | "ask";
  readonly workspace: string;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** One answer of the model: it thinks, speaks, and perhaps asks for calls, which run in parallel. No calls ends the turn. */
export interface ModelReply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls: readonly ModelCall[];
  readonly usage: ModelUsage;
}

/** The mind of the simulated agent. Deterministic: the same request and seed give the same reply. */
export type Model = (request: ModelRequest) => ModelReply;

/** A string that is known now, or one that an earlier step of the same turn will provide. */
export type Content =
  | { readonly from: "prompt"; readonly text: string }
  | { readonly from: "last-output" }
  | { readonly from: "last-number" }
  /** The file as the last step read it, with a string at its end. */
  | { readonly from: "appending"; readonly text: string };

/** One thing a person asks to have done with a tool. */
export type Intent =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "search"; readonly pattern: string; readonly path: string }
  | { readonly kind: "find"; readonly glob: string }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "write"; readonly path: string; readonly content: Content }
  | { readonly kind: "edit"; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "fetch"; readonly url: string }
  | { readonly kind: "web-search"; readonly query: string }
  | { readonly kind: "ask"; readonly question: string; readonly options: readonly string[] }
  | { readonly kind: "delegate"; readonly prompt: string }
  | { readonly kind: "call"; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "plan"; readonly prompt: string };

/** What is done at once; the steps of a prompt follow one another. */
export type Step = readonly Intent[];
