import type { EventEntry } from "../engine/event-store.ts";

export const DEFAULT_RAW_MAX_BYTES = 64 * 1024;

/** What a store keeps of an entry's raw line: the line, or its beginning and the mark that it was cut. */
export function cutRaw(
  { raw, rawCut }: Pick<EventEntry, "raw" | "rawCut">,
  maxBytes: number,
): { readonly raw?: string; readonly rawCut?: true } {
  if (raw === undefined) return {};
  // A UTF-16 unit is at most three bytes of UTF-8, so most lines need no counting.
  const fits = raw.length * 3 <= maxBytes || Buffer.byteLength(raw) <= maxBytes;
  if (fits) return rawCut ? { raw, rawCut } : { raw };
  return { raw: wholeCharacters(Buffer.from(raw.slice(0, maxBytes)).subarray(0, maxBytes)), rawCut: true };
}

/** `stream` keeps back a character the cut went through instead of replacing it. */
function wholeCharacters(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}
