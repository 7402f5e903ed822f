import type { AgentEvent } from "@caret/protocol";

/**
 * Join neighbouring deltas of one block. A batch is what came in one read, so nothing waits for this; but a flood of
 * tiny deltas is then logged, redacted and sent as one event per read instead of hundreds.
 */
export function coalesceDeltas(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const joined: AgentEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (last !== undefined && isDelta(event) && isDelta(last) && sameBlock(last, event))
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    else joined.push(event);
  }
  return joined.length === events.length ? events : joined;
}

type Delta = Extract<AgentEvent, { readonly type: "text-delta" | "thinking-delta" }>;

function isDelta(event: AgentEvent): event is Delta {
  return event.type === "text-delta" || event.type === "thinking-delta";
}

function sameBlock(a: Delta, b: Delta): boolean {
  return a.type === b.type && a.blockId === b.blockId;
}
