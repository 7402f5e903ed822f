import { type Spread, spreadOf } from "./quantile.ts";

/** One figure: what each server took in each round. */
export interface Figure {
  /** Its name in tables and in `figures.json`. */
  readonly what: string;
  readonly unit: "ms" | "s" | "MB" | "kB" | "%" | "";
  /** By the server's name, one value per round. The rounds of all servers interleave. */
  readonly rounds: Readonly<Record<string, readonly number[]>>;
  /** The name of the one that the others are divided by. */
  readonly floor?: string;
  /** The most that Caret's ratio, or its own value, may be; absent where nothing is demanded. */
  readonly bar?: Bar;
}

export interface Bar {
  readonly of: "ratio" | "value";
  readonly most: number;
}

/** The name under which Caret itself is measured. */
export const CARET = "caret";

export interface Summary {
  readonly name: string;
  readonly value: Spread;
  /** Of the ratios to the floor in each round, since what slows one round slows both. Absent for the floor itself. */
  readonly ratio?: Spread;
}

/** A figure of Caret alone that was measured once. */
export function ownFigure(what: string, unit: Figure["unit"], value: number, most?: number): Figure {
  const bar = most === undefined ? {} : { bar: { of: "value", most } as const };
  return { what, unit, rounds: { [CARET]: [value] }, ...bar };
}

export function summarise({ rounds, floor }: Figure): readonly Summary[] {
  const floorRounds = floor === undefined ? undefined : rounds[floor];
  return Object.entries(rounds).map(([name, values]) => {
    const value = spreadOf(values);
    const ratio = name === floor || floorRounds === undefined ? undefined : ratioOf(values, floorRounds);
    return { name, value, ...(ratio === undefined ? {} : { ratio }) };
  });
}

/** Undefined where the floor is nothing, because nothing is a multiple of it. */
function ratioOf(values: readonly number[], floor: readonly number[]): Spread | undefined {
  const ratios = values.map((value, round) => value / (floor[round] ?? Number.NaN));
  return ratios.length > 0 && ratios.every(Number.isFinite) ? spreadOf(ratios) : undefined;
}

function caretOf(figure: Figure): Summary | undefined {
  return summarise(figure).find(({ name }) => name === CARET);
}

export function isMet(figure: Figure): boolean {
  const { bar } = figure;
  if (bar === undefined) return true;
  const caret = caretOf(figure);
  const judged = bar.of === "value" ? caret?.value.median : caret?.ratio?.median;
  // Not a number is never met: something was not measured.
  return judged !== undefined && judged <= bar.most;
}
