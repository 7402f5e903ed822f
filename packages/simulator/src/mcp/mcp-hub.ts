import type { OfferedTool } from "../model/model.ts";

/** What an MCP tool answered, in the shapes of the agent's wire. */
export interface McpAnswer {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly isError: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

/** The connected MCP servers of a turn. */
export interface McpHub {
  readonly tools: readonly OfferedTool[];
  /** Rejects when the server is gone, the tool unknown or the call aborted; a tool's own failure is an answer. */
  readonly call: (call: McpCall, signal: AbortSignal) => Promise<McpAnswer>;
  /** Ends every server process and connection. */
  readonly close: () => Promise<void>;
}

export interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}
