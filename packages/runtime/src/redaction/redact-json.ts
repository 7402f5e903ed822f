import type { AgentEvent } from "@caret/protocol";
import { looksSecret } from "./looks-secret.ts";
import { REDACTED } from "./redacted.ts";

/** Generated identifiers that link events: two redacted to `[redacted]` would become one. */
const identifiers: ReadonlySet<string> = new Set([
  "type",
  "turnId",
  "sessionId",
  "blockId",
  "callId",
  "parentCallId",
  "requestId",
]);

const sensitiveKey = /(?:password|passwd|passphrase|pwd|token|secret|api[_-]?key|access[_-]?key|private[_-]?key)$/i;

/** Redacts every text in a JSON value, keys included. Returns the same value if nothing was redacted. */
export function redactJson<Value>(value: Value, redactText: (text: string) => string): Value {
  return redactAny(value, redactText) as Value;
}

function redactAny(value: unknown, redactText: (text: string) => string): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return redactArray(value, redactText);
  return redactObject(value, redactText);
}

function redactArray(values: readonly unknown[], redactText: (text: string) => string): readonly unknown[] {
  const redacted = values.map((value) => redactAny(value, redactText));
  return redacted.some((value, index) => value !== values[index]) ? redacted : values;
}

function redactObject(object: object, redactText: (text: string) => string): object {
  let changed = false;
  const entries = Object.entries(object).map(([key, value]: [string, unknown]) => {
    const redactedKey = redactText(key);
    const redacted = isSecretMember(key, value) ? REDACTED : redactAny(value, redactText);
    changed ||= redactedKey !== key || redacted !== value;
    return [redactedKey, redacted] as const;
  });
  return changed ? Object.fromEntries(entries) : object;
}

function isSecretMember(name: string, value: unknown): boolean {
  return typeof value === "string" && sensitiveKey.test(name) && looksSecret({ name, value, quoted: true });
}

/** Redacts one self-contained event. Deltas, whose text continues in the next one, need `createTurnRedactor`. */
export function redactEvent(event: AgentEvent, redactText: (text: string) => string): AgentEvent {
  let changed = false;
  const entries = Object.entries(event).map(([name, value]: [string, unknown]) => {
    const redacted = identifiers.has(name) ? value : redactJson(value, redactText);
    changed ||= redacted !== value;
    return [name, redacted] as const;
  });
  return changed ? (Object.fromEntries(entries) as AgentEvent) : event;
}
