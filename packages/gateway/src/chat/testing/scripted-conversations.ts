import type { AgentEvent, Caller, ConversationRequest, Conversations, TurnOutcome, TurnShare } from "@caret/protocol";

type Script = (signal: AbortSignal, request: ConversationRequest) => AsyncIterable<readonly AgentEvent[]>;

export interface ScriptedConversations extends Conversations {
  readonly opened: { readonly request: ConversationRequest; readonly caller: Caller }[];
  /** Resolves when a door has left one of its turns, with how it left. */
  readonly left: Promise<"answered" | "gone">;
  /** Reasons for which doors ended turns. */
  readonly stops: readonly string[];
}

/** A `Conversations` that plays the same turn for everyone and records who came. */
export function scriptedConversations(
  script: Script,
  outcome: TurnOutcome = { kind: "completed" },
): ScriptedConversations {
  const opened: ScriptedConversations["opened"] = [];
  const { promise: left, resolve: leave } = Promise.withResolvers<"answered" | "gone">();
  const stops: string[] = [];
  return {
    opened,
    left,
    stops,
    async open(request, caller): Promise<TurnShare> {
      opened.push({ request, caller });
      return {
        turnId: "turn-1",
        sessionId: "session-1",
        model: "auto",
        relation: "new",
        startsTurn: true,
        outcome: Promise.resolve(outcome),
        hasActed: () => false,
        async follow(take, signal) {
          for await (const batch of script(signal, request)) if (!isTakenAsMore(take, batch)) await take(batch);
        },
        cut: (reason) => void stops.push(reason),
        stop: (reason) => void stops.push(reason),
        leave,
      };
    },
  };
}

/** As the runtime does with a single delta. */
function isTakenAsMore({ more }: Parameters<TurnShare["follow"]>[0], batch: readonly AgentEvent[]): boolean {
  const [first] = batch;
  return first?.type === "text-delta" && batch.length === 1 && more?.(first) === true;
}

/** A script that yields everything at once. */
export function telling(...events: readonly AgentEvent[]): Script {
  return async function* play() {
    yield events;
  };
}

/** A script that yields one event after the other. */
export function tellingOneByOne(...events: readonly AgentEvent[]): Script {
  return async function* play() {
    for (const event of events) yield [event];
  };
}

/** A script that yields the beginning and is then silent until nobody listens any more. */
export function tellingThenSilent(...events: readonly AgentEvent[]): Script {
  return async function* play(signal) {
    yield events;
    if (signal.aborted) return;
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  };
}

/** A whole turn that says one thing. */
export function saying(text: string): readonly AgentEvent[] {
  return [
    { type: "turn-start", turnId: "turn-1", lane: "sim" },
    { type: "text-start", blockId: "b1" },
    { type: "text-delta", blockId: "b1", text },
    { type: "text-end", blockId: "b1" },
    { type: "usage", usage: { input: 3, output: 4 } },
    { type: "turn-end", outcome: { kind: "completed" } },
  ];
}
