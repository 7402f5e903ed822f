/** White space of any kind becomes one space. Where it is longer than `max`, its beginning and an ellipsis. */
export function oneLine(text: string, max = Number.POSITIVE_INFINITY): string {
  // Only the beginning can be shown, so a string of many megabytes is not searched whole.
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

/** For an element's content and for an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Levenshtein distance: how many characters must be added, dropped or changed. */
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
