import { z } from "zod";

/** A tool the client offers to run. Its schema goes to the agent untouched. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

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
