import { z } from "zod";

/** A tool the client offers to run. Its schema goes to the agent untouched. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What the bridge, which the agent started, says to the gateway: one JSON object per line. */
export const bridgeRequestSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), turnId: z.string(), secret: z.string() }),
  z.object({ type: z.literal("call"), id: z.string(), name: z.string(), input: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal("cancel"), id: z.string() }),
]);

export type BridgeRequest = z.infer<typeof bridgeRequestSchema>;

/** What the gateway says to the bridge. */
export const bridgeReplySchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("welcome"),
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        inputSchema: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
  z.object({ type: z.literal("refused"), reason: z.string() }),
  z.object({ type: z.literal("result"), id: z.string(), text: z.string(), isError: z.boolean() }),
]);

export type BridgeReply = z.infer<typeof bridgeReplySchema>;

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
