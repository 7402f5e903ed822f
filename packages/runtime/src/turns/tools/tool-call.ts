import type { ClientTool } from "@caret/protocol";
import { z } from "zod";

/** A client's tool as the agent is offered it. */
export interface AgentTool extends Pick<ClientTool, "description" | "inputSchema"> {
  /** No other tool of the turn has this name. */
  readonly name: string;
  /** As the client knows it; absent: by the same name, in no namespace. */
  readonly origin?: ToolOrigin;
}

export type ToolOrigin = Pick<ClientTool, "name" | "namespace">;

/** The first line a bridge sends; everything after it, in both directions, is MCP as the agent speaks it. */
export const bridgeHelloSchema = z.object({ turnId: z.string(), secret: z.string() });

export type BridgeHello = z.infer<typeof bridgeHelloSchema>;

/** `data` is base64. */
export interface ResultImage {
  readonly mediaType: string;
  readonly data: string;
}

/** What became of a call. */
export interface ToolResult {
  readonly text: string;
  /** Beside the text, which mentions them. */
  readonly images?: readonly ResultImage[];
  readonly isError: boolean;
  /** It was not run: the policy, a person or the client refused it. */
  readonly isRejected?: true;
  /** Of a command that ended. */
  readonly exitCode?: number;
}

/** A call of a tool that the agent does not run itself. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call under its id in the log. */
export interface LoggedCall extends ToolCall {
  readonly callId: string;
  /** The group or MCP server that the tool belongs to. */
  readonly server?: string;
}

/** Answers a call, however long that takes. Aborted when the agent no longer waits for it. */
export type AnswerCall = (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>;
