/** A way to read `total` events in pieces of 1 to 9, another one for each seed. */
export function randomCuts(seed: number, total: number): readonly number[] {
  const cuts: number[] = [];
  let state = seed;
  for (let left = total; left > 0; left -= cuts.at(-1) ?? left) {
    // Numerical Recipes' generator: poor, and good enough to cut anywhere.
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    cuts.push(Math.min(left, 1 + Math.floor((state / 2 ** 32) * 9)));
  }
  return cuts;
}
