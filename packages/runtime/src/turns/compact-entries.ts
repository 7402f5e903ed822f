import { isDelta, isSameBlock, trimEndOf } from "@caret/protocol";
import type { LaneEntry } from "../lanes/lane.ts";

/** More than a person reads or a page shows. The agent itself has seen all of it. */
const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

/**
 * What an agent's tools printed, up to a limit. A tool that prints fifty megabytes would otherwise have every byte of
 * them searched for secrets, logged and sent, while all other streams wait. Gives back the same array when nothing is cut.
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

/** No secret is longer. */
const MAX_WORD = 8_192;

/** Up to where the text is whole words: the redactor would not know half a secret for one. */
function endOfWord(text: string, limit: number): number {
  const before = text.slice(Math.max(0, limit - MAX_WORD), limit);
  const word = before.length - trimEndOf(before, /\S/).length;
  return /\s/.test(text.charAt(limit)) || word === Math.min(limit, MAX_WORD) ? limit : limit - word;
}

/**
 * Join neighbouring deltas of one block. A batch is what came in one read, so nothing waits for this; but a flood of
 * tiny deltas is then logged, redacted and sent as one event per read instead of hundreds.
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
