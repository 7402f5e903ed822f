import type { AgentEvent } from "@caret/protocol";

/** How long that is which makes an event large. */
export function lengthOfEvent(event: AgentEvent): number {
  if ("text" in event) return event.text.length;
  return "output" in event ? event.output.length : 0;
}
