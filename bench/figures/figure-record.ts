import { type Bar, type Figure, isMet, summarise } from "./figure.ts";
import type { Spread } from "./quantile.ts";

/** A figure as programs read it: in `--json` and in the committed `figures.json`. */
export interface FigureRecord {
  readonly what: string;
  readonly unit: string;
  readonly floor?: string;
  readonly bar?: Bar;
  readonly met: boolean;
  readonly servers: readonly ServerRecord[];
}

export interface ServerRecord {
  readonly name: string;
  /** Null for a server that could not be measured: JSON has no word for "not a number". */
  readonly value: Spread | null;
  readonly ratio?: Spread;
}

export function toRecord(figure: Figure): FigureRecord {
  const { what, unit, floor, bar } = figure;
  return {
    what,
    unit,
    ...(floor === undefined ? {} : { floor }),
    ...(bar === undefined ? {} : { bar }),
    met: isMet(figure),
    servers: summarise(figure).map(({ value, ...rest }) => ({
      ...rest,
      value: Number.isNaN(value.median) ? null : value,
    })),
  };
}
