import type { FileDiff } from "@caret/protocol";

/** Above this many pairs of lines the changed middle counts as replaced, so that a huge file cannot stall us. */
const MAX_PAIRS = 4_000_000;

export interface EditCounts {
  readonly added: number;
  readonly removed: number;
}

/** How many lines an edit added and removed. Counted from the contents where they are known: agents' diffs miscount. */
export function editCounts({ before, after, unified }: FileDiff): EditCounts | undefined {
  if (after !== undefined && (before !== undefined || unified === undefined)) return countLines(before ?? "", after);
  if (unified !== undefined) return countUnified(unified);
  return before === undefined ? undefined : countLines(before, "");
}

function countUnified(unified: string): EditCounts {
  const body = unified.split("\n").filter((line) => !/^(?:---|\+\+\+) /.test(line));
  const starting = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
  return { added: starting("+"), removed: starting("-") };
}

function countLines(before: string, after: string): EditCounts {
  const old = toLines(before);
  const now = toLines(after);
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const oldMiddle = old.slice(head, old.length - tail);
  const newMiddle = now.slice(head, now.length - tail);
  const kept = oldMiddle.length * newMiddle.length > MAX_PAIRS ? 0 : commonLines(oldMiddle, newMiddle);
  return { added: newMiddle.length - kept, removed: oldMiddle.length - kept };
}

/** The length of the longest common subsequence. */
function commonLines(old: readonly string[], now: readonly string[]): number {
  let previous = new Uint32Array(now.length + 1);
  for (const line of old) {
    const lengths = new Uint32Array(now.length + 1);
    for (const [index, other] of now.entries()) {
      const longest = Math.max(previous[index + 1] ?? 0, lengths[index] ?? 0);
      lengths[index + 1] = line === other ? (previous[index] ?? 0) + 1 : longest;
    }
    previous = lengths;
  }
  return previous.at(-1) ?? 0;
}

function toLines(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
