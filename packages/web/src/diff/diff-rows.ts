import type { FileDiff } from "@caret/protocol";
import { structuredPatch } from "diff";

const hunkHead = /^@@+ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@+(?!@) ?(.*)$/;

/** What git and others write above the first hunk; inside a hunk such lines are content. */
const fileHead =
  /^(diff |index |--- |\+\+\+ |old mode|new mode|new file|deleted file|similarity |rename |copy |Binary )/;

/** Lines beyond this are not compared: they are data, not text. */
const MAX_LENGTH = 1_000;

export interface DiffRows {
  readonly rows: readonly DiffRow[];
  readonly additions: number;
  readonly deletions: number;
}

/** Beyond this many changed lines a comparison takes too long for what it shows. */
const MAX_EDITS = 1_000;
const CONTEXT_LINES = 3;

const known = new WeakMap<FileDiff, DiffRows>();

/** The lines of a change. Remembered by identity, because a transcript asks again each time a card scrolls into view. */
export function toDiffRows(diff: FileDiff): DiffRows {
  const before = known.get(diff);
  if (before !== undefined) return before;
  const rows = compare(diff);
  known.set(diff, rows);
  return rows;
}

function compare({ before, after, unified }: FileDiff): DiffRows {
  if (before !== undefined && after !== undefined) return counted(compareTexts(before, after));
  if (unified !== undefined) return fromUnified(unified);
  if (after !== undefined) return counted(allOf("add", after));
  if (before !== undefined) return counted(allOf("remove", before));
  return counted([]);
}

/** The lines of a unified diff, with or without its headers. */
export function fromUnified(unified: string): DiffRows {
  return counted(parseUnified(unified));
}

function compareTexts(before: string, after: string): readonly DiffRow[] {
  if (before === "") return allOf("add", after);
  if (after === "") return allOf("remove", before);
  const patch = structuredPatch("", "", before, after, "", "", { context: CONTEXT_LINES, maxEditLength: MAX_EDITS });
  // Too different to be compared line by line: the old text, then the new one, which is true as well.
  if (patch === undefined) return [...allOf("remove", before), ...allOf("add", after)];
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  return parseUnified(lines.join("\n"));
}

function allOf(kind: "add" | "remove", text: string): readonly DiffRow[] {
  if (text === "") return [];
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line, index) =>
    kind === "add" ? { kind, text: line, newLine: index + 1 } : { kind, text: line, oldLine: index + 1 },
  );
}

function counted(rows: readonly DiffRow[]): DiffRows {
  return {
    rows: emphasise(rows),
    additions: rows.filter((row) => row.kind === "add").length,
    deletions: rows.filter((row) => row.kind === "remove").length,
  };
}

/** One line of a diff as it is shown. */
export interface DiffRow {
  readonly kind: "hunk" | "context" | "add" | "remove";
  readonly text: string;
  readonly oldLine?: number;
  readonly newLine?: number;
  /** The part that differs from the line it replaced: from one column up to another. */
  readonly emphasis?: readonly [from: number, to: number];
}

/** Marks, where lines were replaced by as many others, the part of each that really changed. */
function emphasise(rows: readonly DiffRow[]): readonly DiffRow[] {
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

interface LineNumbers {
  oldLine: number | undefined;
  newLine: number | undefined;
}

/**
 * Reads a unified diff. Tolerant: agents write them without headers, without counts, or with wrong ones; then lines
 * have no numbers, and what each line says of itself counts.
 */
function parseUnified(unified: string): readonly DiffRow[] {
  const lines = unified.replace(/\n$/, "").split("\n");
  const rows: DiffRow[] = [];
  const numbers: LineNumbers = { oldLine: undefined, newLine: undefined };
  let isInHunk = false;
  for (const line of unified === "" ? [] : lines) {
    const head = hunkHead.exec(line);
    if (head !== null) {
      numbers.oldLine = Number(head[1]);
      numbers.newLine = Number(head[2]);
      rows.push({ kind: "hunk", text: head[3] ?? "", oldLine: numbers.oldLine, newLine: numbers.newLine });
      isInHunk = true;
    } else if (isInHunk || !fileHead.test(line)) rows.push(...toRow(line, numbers));
  }
  return rows;
}

function toRow(line: string, numbers: LineNumbers): readonly DiffRow[] {
  const text = line.slice(1).replace(/\r$/, "");
  if (line.startsWith("+")) return [{ kind: "add", text, ...numbered("newLine", numbers) }];
  if (line.startsWith("-")) return [{ kind: "remove", text, ...numbered("oldLine", numbers) }];
  // "\ No newline at end of file" is about a line, and is none.
  if (line.startsWith("\\")) return [];
  return [{ kind: "context", text, ...numbered("oldLine", numbers), ...numbered("newLine", numbers) }];
}

function numbered(key: "oldLine" | "newLine", numbers: LineNumbers): Partial<DiffRow> {
  const line = numbers[key];
  if (line === undefined) return {};
  numbers[key] = line + 1;
  return { [key]: line };
}
