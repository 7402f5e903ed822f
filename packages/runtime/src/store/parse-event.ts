import { type AgentEvent, agentEventSchema } from "@caret/protocol";

/**
 * Events outlive releases, so they are parsed like any other input. What this release does not know becomes an
 * `unknown` event: a log can always be read.
 */
export function parseEvent(value: unknown): AgentEvent {
  const parsed = agentEventSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  return { type: "unknown", source: "store", label: labelOf(value), value };
}

function labelOf(value: unknown): string {
  const type = typeof value === "object" && value !== null ? (value as Record<string, unknown>)["type"] : undefined;
  return typeof type === "string" ? type : "unreadable";
}
