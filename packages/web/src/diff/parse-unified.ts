import type { DiffRow } from "./diff-row.ts";

const hunkHead = /^@@+ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@+ ?(.*)$/;
/** What git and others write above the first hunk; inside a hunk such lines are content. */
const fileHead =
  /^(diff |index |--- |\+\+\+ |old mode|new mode|new file|deleted file|similarity |rename |copy |Binary )/;

interface Place {
  oldLine: number | undefined;
  newLine: number | undefined;
}

/**
 * Reads a unified diff. Tolerant: agents write them without headers, without counts, or with wrong ones; then lines
 * have no numbers, and what each line says of itself counts.
 */
export function parseUnified(unified: string): readonly DiffRow[] {
  const lines = unified.replace(/\n$/, "").split("\n");
  const rows: DiffRow[] = [];
  const place: Place = { oldLine: undefined, newLine: undefined };
  let isInHunk = false;
  for (const line of unified === "" ? [] : lines) {
    const head = hunkHead.exec(line);
    if (head !== null) {
      place.oldLine = Number(head[1]);
      place.newLine = Number(head[2]);
      rows.push({ kind: "hunk", text: head[3] ?? "", oldLine: place.oldLine, newLine: place.newLine });
      isInHunk = true;
    } else if (isInHunk || !fileHead.test(line)) rows.push(...toRow(line, place));
  }
  return rows;
}

function toRow(line: string, place: Place): readonly DiffRow[] {
  const text = line.slice(1).replace(/\r$/, "");
  if (line.startsWith("+")) return [{ kind: "add", text, ...numbered("newLine", place) }];
  if (line.startsWith("-")) return [{ kind: "remove", text, ...numbered("oldLine", place) }];
  // "\ No newline at end of file" is about a line, and is none.
  if (line.startsWith("\\")) return [];
  return [{ kind: "context", text, ...numbered("oldLine", place), ...numbered("newLine", place) }];
}

function numbered(key: "oldLine" | "newLine", place: Place): Partial<DiffRow> {
  const line = place[key];
  if (line === undefined) return {};
  place[key] = line + 1;
  return { [key]: line };
}
