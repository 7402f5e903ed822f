/**
 * The words of a name in any spelling: `targetPath`, `target_path`, `target-path`. A word that is two known ones written
 * together, as in `cmdline`, is taken apart.
 */
export function wordsOf(name: string, isKnown: (word: string) => boolean = () => true): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .flatMap((word) => (isKnown(word) ? [word] : takeApart(word, isKnown)));
}

const MIN_PART = 3;

function takeApart(word: string, isKnown: (word: string) => boolean): readonly string[] {
  for (let cut = MIN_PART; cut <= word.length - MIN_PART; cut += 1) {
    const parts = [word.slice(0, cut), word.slice(cut)];
    if (parts.every(isKnown)) return parts;
  }
  return [word];
}
