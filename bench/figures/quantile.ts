/** The value below which so large a part of the numbers lies, between two of them in proportion; NaN when there are none. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const lower = sorted[Math.floor(place)] ?? Number.NaN;
  const upper = sorted[Math.ceil(place)] ?? Number.NaN;
  return lower + (upper - lower) * (place - Math.floor(place));
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** A median and how far the rounds lie apart. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** With the quartiles. Of fewer than four numbers they are close to the least and the greatest. */
export function spreadOf(numbers: readonly number[]): Spread {
  return { median: median(numbers), low: quantile(numbers, 0.25), high: quantile(numbers, 0.75) };
}
