import type { AgentEvent } from "@caret/protocol";
import { redactJson } from "./redact-json.ts";

/** They tie events together and are made up by a program: two that became `[redacted]` would be one. */
const identifiers: ReadonlySet<string> = new Set([
  "type",
  "turnId",
  "sessionId",
  "blockId",
  "callId",
  "parentCallId",
  "requestId",
]);

/** Redact one event that stands for itself. Deltas, whose text goes on in the next one, need `createTurnRedactor`. */
export function redactEvent(event: AgentEvent, redactText: (text: string) => string): AgentEvent {
  let changed = false;
  const entries = Object.entries(event).map(([name, value]: [string, unknown]) => {
    const redacted = identifiers.has(name) ? value : redactJson(value, redactText);
    changed ||= redacted !== value;
    return [name, redacted] as const;
  });
  return changed ? (Object.fromEntries(entries) as AgentEvent) : event;
}
