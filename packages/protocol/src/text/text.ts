/** Collapses white space to single spaces; cuts text longer than `max` and appends an ellipsis. */
export function oneLine(text: string, max = Number.POSITIVE_INFINITY): string {
  // Slice first: only the start can be shown, and the string may be megabytes long.
  const line = text
    .slice(0, max * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for an element's content or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Levenshtein distance: the number of characters to add, drop or change. */
export function editDistance(from: string, to: string): number {
  const [columns, rows] = [[...to], [...from]];
  let row = Array.from({ length: columns.length + 1 }, (_, column) => column);
  for (const [index, letter] of rows.entries()) {
    const next = [index + 1];
    for (const [column, other] of columns.entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[columns.length] ?? 0;
}
