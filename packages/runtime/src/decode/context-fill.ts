import type { AgentEvent, ContextFill } from "@caret/protocol";

/** Attaches the context fill that upstream reported along the way to the turn's usage. */
export function withContext(events: readonly AgentEvent[], context: ContextFill | undefined): readonly AgentEvent[] {
  if (context === undefined) return events;
  return events.map((event) => (event.type === "usage" ? { ...event, context } : event));
}
