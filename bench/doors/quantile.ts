/** The value below which so large a part of the numbers lies; NaN when there are none. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}
