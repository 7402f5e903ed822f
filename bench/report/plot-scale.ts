/** Where a value stands on an axis, from one end to the other in pixels. */
export interface PlotScale {
  at(value: number): number;
  /** The values that are written beside the axis. */
  readonly ticks: readonly number[];
}

const MOST_TICKS = 6;

/** Whole powers of ten, wide enough for all values. Nothing, of which there is no logarithm, stands before the first of them. */
export function logScale(values: readonly number[], from: number, to: number): PlotScale {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  const hasNothing = values.includes(0);
  const least = Math.floor(Math.log10(Math.min(...positive)));
  const low = hasNothing ? least - 1 : least;
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...positive))));
  const powers = Array.from({ length: high - least + 1 }, (_, index) => 10 ** (least + index));
  return {
    at: (value) => from + ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * (to - from),
    ticks: hasNothing ? [0, ...powers] : powers,
  };
}

/** From zero to beyond the greatest value, in round steps. */
export function linearScale(values: readonly number[], from: number, to: number): PlotScale {
  const greatest = Math.max(...values.filter(Number.isFinite));
  const power = 10 ** Math.floor(Math.log10(greatest));
  const step = [power / 5, power / 2, power, power * 2].find((each) => greatest / each < MOST_TICKS) ?? power * 5;
  const count = Math.ceil(greatest / step);
  return {
    at: (value) => from + (value / (count * step)) * (to - from),
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
  };
}

export function toTickText(tick: number): string {
  return tick >= 1 ? tick.toLocaleString("en") : String(Number(tick.toPrecision(1)));
}
