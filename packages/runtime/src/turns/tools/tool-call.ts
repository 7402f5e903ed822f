import { z } from "zod";

/** A tool the client offers to run. Its schema goes to the agent untouched. */
export interface ClientTool {
  /** As the agent knows it: no other tool of its turn has this name. */
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** As the client knows it; absent: by the same name, in no group. */
  readonly origin?: ToolOrigin;
}

export interface ToolOrigin {
  readonly name: string;
  /** The group of tools it belongs to. */
  readonly namespace?: string | undefined;
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
