import type { AgentEvent } from "@caret/protocol";

/** Length of the field that dominates an event's size. */
export function lengthOfEvent(event: AgentEvent): number {
  if ("text" in event) return event.text.length;
  return "output" in event ? event.output.length : 0;
}
