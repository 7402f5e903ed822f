import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FigureRecord } from "../figures/figure-record.ts";
import type { SeriesRecord } from "../figures/series.ts";
import type { MachineClass } from "./machine-class.ts";

/** What one run of a benchmark found. */
export interface FiguresSection {
  /** The day, in UTC. */
  readonly day: string;
  readonly machine: MachineClass;
  readonly rounds: number;
  readonly figures: readonly FigureRecord[];
  readonly series: readonly SeriesRecord[];
}

/** The committed figures, by the benchmark's name: what the report is made of and what `--check` compares with. */
export type FiguresFile = Readonly<Record<string, FiguresSection>>;

const figuresPath = fileURLToPath(new URL("../figures.json", import.meta.url));

/** Without a section for what was not measured yet. */
export function readFigures(): FiguresFile {
  return JSON.parse(readFileSync(figuresPath, "utf8")) as FiguresFile;
}

/** Replaces the section of one benchmark; the others stay as they were measured. */
export function writeFigures(name: string, section: FiguresSection): void {
  const all = { ...readFigures(), [name]: section };
  writeFileSync(figuresPath, `${JSON.stringify(all, roundNumbers, 2)}\n`);
}

/** More digits than that are noise. */
function roundNumbers(_: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(4)) : value;
}
