/** A small generator of numbers in [0, 1): the same seed and text always give the same row. */
export function seededRandom(seed: number, text: string): () => number {
  let state = [...text].reduce((sum, character) => (Math.imul(sum, 31) + character.charCodeAt(0)) | 0, seed | 0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function choose<Item>(random: () => number, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0];
}
