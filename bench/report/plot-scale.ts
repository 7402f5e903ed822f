/** Where a value stands on an axis whose steps are powers of ten. */
export interface LogScale {
  at(value: number): number;
  /** The powers of ten within the range. */
  readonly ticks: readonly number[];
}

/** From `from` to `to` in pixels, for values of which the least and the greatest are to be seen; whole powers of ten. */
export function logScale(values: readonly number[], from: number, to: number): LogScale {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  const low = Math.floor(Math.log10(Math.min(...positive)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...positive))));
  return {
    // What is nothing stands at the beginning: a logarithm of it does not exist.
    at: (value) => from + ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * (to - from),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
  };
}

export function toTickText(tick: number): string {
  return tick >= 1 ? tick.toLocaleString("en") : String(Number(tick.toPrecision(1)));
}
