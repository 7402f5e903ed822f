import { isDelta, isSameBlock } from "@caret/protocol";
import type { LaneEntry } from "../lanes/lane.ts";

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
