import type { AgentEvent, AgentEventOf } from "./agent-event.ts";

/** A delta of a text or thinking block. */
export type Delta = AgentEventOf<"text-delta" | "thinking-delta">;

export function isDelta(event: AgentEvent): event is Delta {
  return event.type === "text-delta" || event.type === "thinking-delta";
}

export function isSameBlock(a: Delta, b: Delta): boolean {
  return a.type === b.type && a.blockId === b.blockId;
}
