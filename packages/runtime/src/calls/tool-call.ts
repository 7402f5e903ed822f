import type { ClientTool } from "@caret/protocol";
import { z } from "zod";
import type { ExactAsk, ToolData } from "./tool-data.ts";

/** A client's tool as offered to the agent. */
export interface AgentTool extends Pick<ClientTool, "description" | "inputSchema"> {
  /** Unique within the turn. */
  readonly name: string;
  /** The client's name for it. Default: the same name, without a namespace. */
  readonly origin?: ToolOrigin;
}

export type ToolOrigin = Pick<ClientTool, "name" | "namespace">;

/** The first line a bridge sends; everything after it, in both directions, is MCP in the agent's dialect. */
export const bridgeHelloSchema = z.object({ turnId: z.string(), secret: z.string() });

export type BridgeHello = z.infer<typeof bridgeHelloSchema>;

/** `data` is base64. */
export interface ResultImage {
  readonly mediaType: string;
  readonly data: string;
}

/** The outcome of a call, as compared by the loop detector. */
export type OutcomeClass = "success" | "validation" | "not_found" | "permission" | "timeout" | "tool_error" | "unknown";

/** The result of a call. */
export interface ToolResult {
  readonly text: string;
  /** In addition to the text, which mentions them. */
  readonly images?: readonly ResultImage[];
  readonly isError: boolean;
  /** Not run: the policy, a person or the client refused it. */
  readonly isRejected?: true;
  /** For a command that ended. */
  readonly exitCode?: number;
  /** For a call with `exact`: its data, for a program. */
  readonly data?: ToolData;
  /** For a call with `exact`: additional words for the model. */
  readonly aside?: string;
}

/** A call of a tool that the agent does not run itself. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Made for a program, which reads `data` and never `text`. Only the gateway's tools answer such calls. */
  readonly exact?: ExactAsk;
}

/** A call with its id in the log. */
export interface LoggedCall extends Omit<ToolCall, "exact"> {
  readonly callId: string;
  /** The group or MCP server that the tool belongs to. */
  readonly server?: string;
}

/** Answers a call, however long that takes. The signal aborts when the agent stops waiting. */
export type AnswerCall = (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>;

/** Why a call is not made: no tool of the turn accepts it. */
export interface CallRefusal {
  /** For the model: what is wrong, and what to do instead. */
  readonly reason: string;
  readonly class: OutcomeClass;
}

/** Counts a call that a lane itself refuses, and returns the answer for the agent. Never rejects. */
export type AnswerRefused = (call: ToolCall, refusal: CallRefusal) => Promise<ToolResult>;

/** Adds words for the model to a result: after the text that a model reads, or next to the data that a program reads. */
export function withWords({ exact }: ToolCall, result: ToolResult, words: string): ToolResult {
  return exact === undefined ? { ...result, text: `${result.text}\n\n${words}` } : { ...result, aside: words };
}
