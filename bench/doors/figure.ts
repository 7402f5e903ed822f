/** One figure: ours, and where there is one the floor's, both measured in the same rounds. */
export interface Figure {
  readonly what: string;
  readonly unit: "ms" | "s" | "µs" | "MB" | "kB" | "%" | "";
  readonly caret: number;
  readonly floor?: { readonly name: "rawpipe" | "direct" | "bare"; readonly value: number };
  /** How much `caret / floor`, or ours alone where there is no floor, may be; absent where nothing is demanded. */
  readonly target?: number;
}

/** What the target is held against. */
function judgedValue({ caret, floor }: Figure): number {
  return floor === undefined ? caret : caret / floor.value;
}

export function isMet(figure: Figure): boolean {
  // Not a number is never met: something was not measured.
  return figure.target === undefined || judgedValue(figure) <= figure.target;
}

const columns = ["", "floor", "caret", "ratio", "target", ""] as const;

export function toFigureTable(figures: readonly Figure[]): string {
  const cells = [columns, ...figures.map(toCells)];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return cells.map((row) => row.map(align).join("  ").trimEnd()).join("\n");
}

function toCells(figure: Figure): readonly string[] {
  const { what, unit, caret, floor, target } = figure;
  const suffix = unit === "" ? "" : ` ${unit}`;
  const verdict = isMet(figure) ? "met" : "MISSED";
  return [
    what,
    floor === undefined ? "" : `${floor.name} ${toShort(floor.value)}${suffix}`,
    `${toShort(caret)}${suffix}`,
    floor === undefined ? "" : `${judgedValue(figure).toFixed(2)}×`,
    target === undefined ? "" : `≤ ${target}${floor === undefined ? suffix : "×"}`,
    target === undefined ? "" : verdict,
  ];
}

function toShort(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
