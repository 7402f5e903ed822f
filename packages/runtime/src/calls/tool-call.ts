import type { ClientTool } from "@caret/protocol";
import { z } from "zod";
import type { ExactAsk, ToolData } from "./tool-data.ts";

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

/** The outcome of a call, as the loop detector compares calls. */
export type OutcomeClass = "success" | "validation" | "not_found" | "permission" | "timeout" | "tool_error" | "unknown";

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
  /** Of a call with `exact`: what it gave, for a program. */
  readonly data?: ToolData;
  /** Of a call with `exact`: what is said to the model besides. */
  readonly aside?: string;
}

/** A call of a tool that the agent does not run itself. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** It is made for a program, which reads `data` and never `text`. Only tools of the gateway's answer such calls. */
  readonly exact?: ExactAsk;
}

/** A call under its id in the log. */
export interface LoggedCall extends Omit<ToolCall, "exact"> {
  readonly callId: string;
  /** The group or MCP server that the tool belongs to. */
  readonly server?: string;
}

/** Answers a call, however long that takes. Aborted when the agent no longer waits for it. */
export type AnswerCall = (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>;

/** Why a call is not made: no tool of the turn takes it. */
export interface CallRefusal {
  /** For the model: what is wrong, and what to do instead. */
  readonly reason: string;
  readonly class: OutcomeClass;
}

/** Counts a call that a lane refuses by itself, and returns the answer to the agent. Never rejects. */
export type AnswerRefused = (call: ToolCall, refusal: CallRefusal) => Promise<ToolResult>;

/** A result with words for the model besides: after the text that a model reads, beside the data that a program reads. */
export function withWords({ exact }: ToolCall, result: ToolResult, words: string): ToolResult {
  return exact === undefined ? { ...result, text: `${result.text}\n\n${words}` } : { ...result, aside: words };
}
