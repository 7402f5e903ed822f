import type { AgentEvent } from "@caret/protocol";
import { REDACTED } from "../redaction/redacted.ts";

/**
 * Whether an answer, as the log keeps it, lacks something that its client was given. The log does not say so itself: an
 * answer in which the agent wrote `[redacted]` of its own accord looks the same.
 */
export function lacksSecrets(events: readonly AgentEvent[]): boolean {
  const said = events.map((event) => ("text" in event ? event.text : "")).join("");
  return said.includes(REDACTED) || events.some((event) => isShown(event) && JSON.stringify(event).includes(REDACTED));
}

/** What a door may show of a turn besides its texts. Errors are given without secrets to everybody. */
function isShown(event: AgentEvent): boolean {
  if (event.type === "tool-result") return event.status !== "ok";
  return event.type === "tool-call" || event.type === "notice" || event.type === "plan";
}
