/** The name that was probably meant, if any is near enough to be worth saying. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: candidate, distance };
  }
  const limit = Math.max(2, Math.floor(name.length / 2));
  return best !== undefined && best.distance <= limit ? best.name : undefined;
}

/** How many letters must be added, dropped or changed. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
