import { type AgentEvent, agentEventSchema } from "@caret/protocol";
import type { EventEntry } from "./event-store.ts";

export const DEFAULT_RAW_MAX_BYTES = 64 * 1024;

/**
 * Events outlive releases, so they are parsed like any other input. Kinds unknown to this release become `unknown` events: a log can
 * always be read.
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

/** The raw line as stored: whole, or its beginning marked as cut. */
export function cutRaw(
  { raw, rawCut }: Pick<EventEntry, "raw" | "rawCut">,
  maxBytes: number,
): { readonly raw?: string; readonly rawCut?: true } {
  if (raw === undefined) return {};
  // A UTF-16 unit takes at most three bytes of UTF-8, so most lines need no counting.
  const fits = raw.length * 3 <= maxBytes || Buffer.byteLength(raw) <= maxBytes;
  if (fits) return rawCut ? { raw, rawCut } : { raw };
  return { raw: wholeCharacters(Buffer.from(raw.slice(0, maxBytes)).subarray(0, maxBytes)), rawCut: true };
}

/** `stream` drops a character cut in half instead of replacing it. */
function wholeCharacters(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}
