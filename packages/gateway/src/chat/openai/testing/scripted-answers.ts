import type { AgentEvent, Caller, ConversationRequest, Conversations, TurnOutcome, TurnShare } from "@caret/protocol";

/** Batches of a turn; a generator can wait, for example for its signal. */
export type Script = (
  request: ConversationRequest,
  signal: AbortSignal,
) => Iterable<readonly AgentEvent[]> | AsyncIterable<readonly AgentEvent[]>;

export interface ScriptedConversations extends Conversations {
  readonly opened: { readonly request: ConversationRequest; readonly caller: Caller }[];
  /** Resolves when a door has left a turn, with how it left. */
  readonly left: Promise<"answered" | "gone">;
  /** Reasons for which doors ended turns. */
  readonly stops: readonly string[];
}

/** A `Conversations` whose turns follow a test's script. `outcome` is used only if their events lack one. */
export function createScriptedConversations(
  script: Script,
  outcome: Promise<TurnOutcome> = unknown(),
): ScriptedConversations {
  const opened: { request: ConversationRequest; caller: Caller }[] = [];
  const { promise: left, resolve: leave } = Promise.withResolvers<"answered" | "gone">();
  const stops: string[] = [];
  return {
    opened,
    left,
    stops,
    async open(request, caller): Promise<TurnShare> {
      opened.push({ request, caller });
      return {
        turnId: `turn-${opened.length}`,
        sessionId: "session-1",
        model: "auto",
        relation: "new",
        startsTurn: true,
        async follow(take, signal) {
          for await (const batch of script(request, signal)) await take(batch);
        },
        outcome,
        hasActed: () => false,
        cut: (reason) => void stops.push(reason),
        stop: (reason) => void stops.push(reason),
        leave,
      };
    },
  };
}

export function says(text: string, blockId = "text"): readonly AgentEvent[] {
  return [
    { type: "text-start", blockId },
    { type: "text-delta", blockId, text },
    { type: "text-end", blockId },
  ];
}

export function thinks(text: string, blockId = "thinking"): readonly AgentEvent[] {
  return [
    { type: "thinking-start", blockId },
    { type: "thinking-delta", blockId, text },
    { type: "thinking-end", blockId },
  ];
}

export function calls(callId: string, name: string, input: unknown): AgentEvent {
  return { type: "tool-call", callId, name, kind: "mcp", input, owner: "client" };
}

export const begins: AgentEvent = { type: "turn-start", turnId: "turn-1", lane: "sim" };
export const ends: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };

export function fails(error: Extract<TurnOutcome, { kind: "failed" }>["error"]): AgentEvent {
  return { type: "turn-end", outcome: { kind: "failed", error } };
}

/** For a turn that is silent until nobody listens any more. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** A turn that waits for its calls' results has no outcome yet. */
function unknown(): Promise<TurnOutcome> {
  return new Promise(() => {});
}
