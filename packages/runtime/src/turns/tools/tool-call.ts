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

/** What became of a call. */
export interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

/** A call of a tool that somebody else than the agent runs. */
export interface OfferedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Answers a call, however long that takes. Aborted when the agent no longer waits for it. */
export type AnswerCall = (call: OfferedCall, signal: AbortSignal) => Promise<CallResult>;
