import type { AgentEvent, ContextFill } from "@caret/protocol";

/** What upstream reports of its context in between goes out with what the turn has used. */
export function withContext(events: readonly AgentEvent[], context: ContextFill | undefined): readonly AgentEvent[] {
  if (context === undefined) return events;
  return events.map((event) => (event.type === "usage" ? { ...event, context } : event));
}
