import type { Look } from "./look.ts";
import { readInline } from "./markdown-inline.ts";
import { displayWidth } from "./shorten.ts";
import { tableLines } from "./table-lines.ts";

/** A possibly incomplete line that may belong to a table. */
export const tableRow = /^ {0,3}\|/;

/** A table's lines with aligned columns; unchanged if it is not a table, or too wide. */
export function markdownTableLines(lines: readonly string[], look: Look, columns: number): readonly string[] {
  const [head = [], rule, ...rows] = lines.map(cellsOf);
  if (rule === undefined || !rule.every((cell) => /^:?-+:?$/.test(cell))) return lines;
  const titles = head.map((title, index) =>
    rule[index]?.endsWith(":") === true && rule[index]?.startsWith(":") === false
      ? { title, align: "right" as const }
      : { title },
  );
  const filled = rows.map((row) => titles.map((_, index) => row[index] ?? ""));
  const shown = tableLines(titles, filled, { ...look, columns, isTty: true });
  const plain = tableLines(titles, filled, {
    ...look,
    style: { ...look.style, dim: (text) => text },
    columns,
    isTty: true,
  });
  return plain.some((line) => displayWidth(line) >= columns) ? lines : shown;
}

function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => plainText(cell.trim().replaceAll("\\|", "|")));
}

/** Strips markers, which would take up width invisibly. */
function plainText(text: string): string {
  return readInline(text, "", true)
    .spans.map(({ text: words, target }) => (target === undefined || target === words ? words : `${words} (${target})`))
    .join("");
}
