import { isDelta, isSameBlock, trimEndOf } from "@caret/protocol";
import type { LaneEntry } from "../lanes/lane.ts";

/** More than a person reads or a page shows. The agent itself has seen the full output. */
const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

/**
 * Caps the output of an agent's tools. Otherwise every byte of a fifty-megabyte output would be searched for secrets, logged and sent,
 * while all other streams wait. Returns the same array if nothing is cut.
 */
export function capOutputs(entries: readonly LaneEntry[], limit = MAX_OUTPUT_CHARACTERS): readonly LaneEntry[] {
  const isTooLong = ({ event }: LaneEntry): boolean => event.type === "tool-result" && event.output.length > limit;
  return entries.some(isTooLong) ? entries.map((entry) => capOutput(entry, limit)) : entries;
}

function capOutput(entry: LaneEntry, limit: number): LaneEntry {
  const { event } = entry;
  if (event.type !== "tool-result" || event.output.length <= limit) return entry;
  const end = endOfWord(event.output, limit);
  const left = event.output.length - end;
  const output = `${event.output.slice(0, end)}\n[${left} more characters were left out]`;
  return { ...entry, event: { ...event, output } };
}

/** Longer than any secret. */
const MAX_WORD = 8_192;

/** Moves the cut back to a word boundary: the redactor would not recognise half a secret. */
function endOfWord(text: string, limit: number): number {
  const before = text.slice(Math.max(0, limit - MAX_WORD), limit);
  const word = before.length - trimEndOf(before, /\S/).length;
  return /\s/.test(text.charAt(limit)) || word === Math.min(limit, MAX_WORD) ? limit : limit - word;
}

/**
 * Joins adjacent deltas of one block. A batch is one read, so this delays nothing; but a flood of tiny deltas is then logged, redacted and
 * sent as one event per read instead of hundreds.
 */
export function joinDeltas(entries: readonly LaneEntry[]): readonly LaneEntry[] {
  if (entries.length === 1) return entries;
  const joined: LaneEntry[] = [];
  for (const entry of entries) {
    const { event } = entry;
    const last = joined.at(-1);
    if (last !== undefined && isDelta(event) && isDelta(last.event) && isSameBlock(last.event, event))
      joined[joined.length - 1] = { ...last, event: { ...last.event, text: last.event.text + event.text } };
    else joined.push(entry);
  }
  return joined.length === entries.length ? entries : joined;
}
