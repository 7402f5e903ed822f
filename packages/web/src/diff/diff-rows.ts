import type { FileDiff } from "@caret/protocol";
import { structuredPatch } from "diff";
import type { DiffRow } from "./diff-row.ts";
import { emphasise } from "./emphasise.ts";
import { parseUnified } from "./parse-unified.ts";

export interface DiffRows {
  readonly rows: readonly DiffRow[];
  readonly additions: number;
  readonly deletions: number;
}

/** Beyond this many changed lines a comparison takes too long for what it tells. */
const MAX_EDITS = 1_500;
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
