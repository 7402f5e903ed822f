/** One line of a benchmark's table. What does not apply to it is absent. */
export interface BenchRow {
  readonly what: string;
  readonly megabytes: number;
  readonly floorMs?: number;
  readonly caretMs: number;
  /** The floor's time divided by ours: 1 is as fast as the floor, 0.5 takes twice as long. */
  readonly ratio?: number;
  /** How much more memory the process had at its peak. */
  readonly memoryMegabytes?: number;
  /** What must hold for the benchmark to pass, and whether it does. */
  readonly demand?: { readonly text: string; readonly met: boolean };
}

export interface BenchReport {
  readonly name: string;
  readonly floor: string;
  readonly rows: readonly BenchRow[];
}

export function hasPassed({ rows }: BenchReport): boolean {
  return rows.every(({ demand }) => demand?.met !== false);
}

const columns = ["", "MB", "floor ms", "caret ms", "ratio", "memory MB", "demand"] as const;

export function toTable({ name, floor, rows }: BenchReport): string {
  const cells = [columns, ...rows.map(toCells)];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number): string =>
    column === 0 || column === columns.length - 1
      ? cell.padEnd(widths[column] ?? 0)
      : cell.padStart(widths[column] ?? 0);
  const lines = cells.map((row) => row.map(align).join("  ").trimEnd());
  return `${name}: medians; ratio is floor / caret\nfloor: ${floor}\n\n${lines.join("\n")}\n`;
}

function toCells({ what, megabytes, floorMs, caretMs, ratio, memoryMegabytes, demand }: BenchRow): readonly string[] {
  return [
    what,
    megabytes.toFixed(1),
    floorMs?.toFixed(1) ?? "",
    caretMs.toFixed(1),
    ratio?.toFixed(2) ?? "",
    memoryMegabytes?.toFixed(0) ?? "",
    demand === undefined ? "" : `${demand.text}: ${demand.met ? "met" : "MISSED"}`,
  ];
}
