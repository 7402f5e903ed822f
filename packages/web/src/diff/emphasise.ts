import type { DiffRow } from "./diff-row.ts";

/** Lines beyond this are not compared: they are data, not text. */
const MAX_LENGTH = 1_000;

/** Marks, where lines were replaced by as many others, the part of each that really changed. */
export function emphasise(rows: readonly DiffRow[]): readonly DiffRow[] {
  const marked = [...rows];
  let index = 0;
  while (index < rows.length) {
    const removed = countFrom(rows, index, "remove");
    const added = countFrom(rows, index + removed, "add");
    if (removed > 0 && removed === added)
      for (let offset = 0; offset < removed; offset += 1) markPair(marked, index + offset, index + removed + offset);
    index += Math.max(1, removed + added);
  }
  return marked;
}

function countFrom(rows: readonly DiffRow[], start: number, kind: DiffRow["kind"]): number {
  let end = start;
  while (rows[end]?.kind === kind) end += 1;
  return end - start;
}

function markPair(rows: DiffRow[], oldIndex: number, newIndex: number): void {
  const [before, after] = [rows[oldIndex], rows[newIndex]];
  if (before === undefined || after === undefined) return;
  const shared = sharedEnds(before.text, after.text);
  if (shared === undefined) return;
  rows[oldIndex] = { ...before, emphasis: [shared.head, before.text.length - shared.tail] };
  rows[newIndex] = { ...after, emphasis: [shared.head, after.text.length - shared.tail] };
}

/** How much the two have in common at either end; undefined when too little for the rest to stand out. */
function sharedEnds(before: string, after: string): { head: number; tail: number } | undefined {
  if (before.length > MAX_LENGTH || after.length > MAX_LENGTH) return undefined;
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const words = before.slice(0, head).trim().length + before.slice(before.length - tail).trim().length;
  return words * 3 < shorter ? undefined : { head, tail };
}
