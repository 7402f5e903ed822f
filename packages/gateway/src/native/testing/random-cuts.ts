/** Cuts `total` events into pieces of 1 to 9, differently for each seed. */
export function randomCuts(seed: number, total: number): readonly number[] {
  const cuts: number[] = [];
  let state = seed;
  for (let left = total; left > 0; left -= cuts.at(-1) ?? left) {
    // Numerical Recipes' generator: poor, but good enough for this.
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    cuts.push(Math.min(left, 1 + Math.floor((state / 2 ** 32) * 9)));
  }
  return cuts;
}
