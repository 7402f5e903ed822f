/** `CARET_SEED` repeats what an earlier run chose by chance; tests that use it print it when they fail. */
export const seed = Number(process.env["CARET_SEED"] ?? Math.floor(Math.random() * 1e6));

/** Numbers in [0, 1), the same for the same start. */
export function seededRandom(start: number): () => number {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const twice = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((twice ^ (twice >>> 14)) >>> 0) / 2 ** 32;
  };
}
