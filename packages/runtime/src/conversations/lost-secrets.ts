import type { AgentEvent } from "@caret/protocol";
import { REDACTED } from "../redaction/redacted.ts";

/**
 * Whether a logged answer may lack secrets that its client was sent. The log cannot tell: an answer in which the agent itself wrote
 * `[redacted]` looks the same.
 */
export function lacksSecrets(events: readonly AgentEvent[]): boolean {
  const said = events.map((event) => ("text" in event ? event.text : "")).join("");
  return said.includes(REDACTED) || events.some((event) => isShown(event) && JSON.stringify(event).includes(REDACTED));
}

/** What a door may show of a turn other than its texts. Errors are always shown without secrets. */
function isShown(event: AgentEvent): boolean {
  if (event.type === "tool-result") return event.status !== "ok";
  return event.type === "tool-call" || event.type === "notice" || event.type === "plan";
}
