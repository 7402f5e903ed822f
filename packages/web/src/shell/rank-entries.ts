export interface PaletteEntry {
  readonly id: string;
  readonly label: string;
  /** What else it is found by. */
  readonly also?: string;
}

/** Those that fit what was typed, best first: every word has to be in it, and the earlier, the better. */
export function rankEntries<Entry extends PaletteEntry>(entries: readonly Entry[], typed: string): readonly Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const scored = entries.flatMap((entry) => {
    const score = scoreOf(entry, words);
    return score === undefined ? [] : [{ entry, score }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ entry }) => entry);
}

function scoreOf({ label, also = "" }: PaletteEntry, words: readonly string[]): number | undefined {
  const text = label.toLowerCase();
  let score = 0;
  for (const word of words) {
    const at = text.indexOf(word);
    const alsoAt = also.toLowerCase().indexOf(word);
    if (at === -1 && alsoAt === -1) return undefined;
    // At the start of a word is better than within one; in the label better than beside it.
    const isStart = at === 0 || text[at - 1] === " ";
    score += at === -1 ? 2000 + alsoAt : isStart ? at : 1000 + at;
  }
  return score;
}
