import { createHash } from "node:crypto";
import { CaretError, type FileDiff } from "@caret/protocol";
import type { ToolContext } from "../tool.ts";

/** Diffs are stored and shown; a larger one is only mentioned. */
const MAX_SHOWN_LENGTH = 256 * 1024;

/** With more changed lines than this, a comparison is not worth its time. */
const MAX_EDITS = 1_000;
const CONTEXT_LINES = 3;

interface ChangeDiff {
  readonly diff: FileDiff;
  readonly added: number;
  readonly removed: number;
}

/** A file change for people: removed and added lines with their real numbers and some context. A new file is shown as all its lines. */
export async function changeDiff(path: string, before: string | undefined, after: string): Promise<ChangeDiff> {
  if (before === undefined) return { diff: { path, after }, added: lineCount(after), removed: 0 };
  const hunks = await hunksOf(before, after);
  const lines = hunks.flatMap(({ lines: each }) => each);
  return {
    diff: { path, unified: hunks.map(toText).join("") },
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

export function countWords({ added, removed }: Pick<ChangeDiff, "added" | "removed">): string {
  if (added === 0 && removed === 0) return "nothing is different";
  return `${lineWords(added)} added, ${lineWords(removed)} removed`;
}

export function lineWords(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

async function hunksOf(before: string, after: string): Promise<readonly Hunk[]> {
  // Loaded on first use: most commands never need it.
  const { structuredPatch } = await import("diff");
  const { oldText, newText, skippedLines } = changedPart(before, after);
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch("", "", oldText, newText, "", "", options);
  const hunks = patch?.hunks ?? [wholeHunk(oldText, newText)];
  return hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + skippedLines,
    newStart: hunk.newStart + skippedLines,
  }));
}

/** Strips the common start and end except for some context, so long files compare quickly. */
function changedPart(
  before: string,
  after: string,
): { readonly oldText: string; readonly newText: string; readonly skippedLines: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail += 1;
  const start = linesBefore(before, head);
  const end = linesAfter(before, before.length - tail);
  const rest = before.length - end;
  const oldText = before.slice(start, end);
  const newText = after.slice(start, after.length - rest);
  return { oldText, newText, skippedLines: start === 0 ? 0 : before.slice(0, start).split("\n").length - 1 };
}

/** Start of the line `CONTEXT_LINES` above this position. */
function linesBefore(text: string, at: number): number {
  let start = at;
  for (let line = 0; line <= CONTEXT_LINES; line += 1) {
    const end = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
    if (end === -1) return 0;
    start = end;
  }
  return start + 1;
}

/** End of the line `CONTEXT_LINES` below this position. */
function linesAfter(text: string, at: number): number {
  let end = at;
  for (let line = 0; line <= CONTEXT_LINES && end < text.length; line += 1) {
    const next = text.indexOf("\n", end);
    end = next === -1 ? text.length : next + 1;
  }
  return end;
}

/** Too different for a line diff: the old text followed by the new one, which is correct too. */
function wholeHunk(oldText: string, newText: string): Hunk {
  const [oldLines, newLines] = [oldText, newText].map(linesOf) as [string[], string[]];
  return {
    oldStart: 1,
    oldLines: oldLines.length,
    newStart: 1,
    newLines: newLines.length,
    lines: [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)],
  };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function lineCount(text: string): number {
  return linesOf(text).length;
}

function toText({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  const ranges = `-${range(oldStart, oldLines)} +${range(newStart, newLines)}`;
  return `@@ ${ranges} @@\n${lines.map((line) => `${line}\n`).join("")}`;
}

/** For an empty range the format counts from the line before. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

export function toFileDiff(path: string, before: string | undefined, after: string): FileDiff {
  if ((before?.length ?? 0) > MAX_SHOWN_LENGTH || after.length > MAX_SHOWN_LENGTH) return { path };
  return before === undefined ? { path, after } : { path, before, after };
}

/** A digest of the text, or `absent` without a file. */
export function stateOfText(text: string | undefined): string {
  return text === undefined ? "absent" : createHash("sha256").update(text).digest("base64url");
}

/** Approval covers only the file state that was shown. */
export function assertAsShown({ shownState }: Pick<ToolContext, "shownState">, state: string, path: string): void {
  if (shownState === undefined || shownState === state) return;
  throw new CaretError(
    "invalid-request",
    `${path} was changed after the user had approved this call. Nothing was done: read it and try again`,
  );
}
