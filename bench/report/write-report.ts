import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BenchOutcome } from "../bench-outcome.ts";
import { toRecord } from "../figures/figure-record.ts";
import { toSeriesRecord } from "../figures/series.ts";
import { withLoadModel } from "../fleet/load-model-page.ts";
import { readFigures, writeFigures } from "./figures-file.ts";
import type { MachineClass } from "./machine-class.ts";
import { makeReport } from "./performance-page.ts";

const docs = new URL("../../docs/", import.meta.url);
export const pagePath = fileURLToPath(new URL("performance.md", docs));
const fleetPath = fileURLToPath(new URL("fleet.md", docs));
export const picturesPath = fileURLToPath(new URL("pictures/", docs));

export interface ReportOptions {
  readonly machine: MachineClass;
  readonly rounds: number;
  readonly now: Date;
}

/** Write what a benchmark found to `figures.json`, and make the page and its pictures of that file. */
export function writeReport(name: string, outcome: BenchOutcome, { machine, rounds, now }: ReportOptions): void {
  const figures = outcome.figures.map(toRecord);
  const series = outcome.series.map(toSeriesRecord);
  const day = now.toISOString().slice(0, "2026-01-01".length);
  writeFigures(name, { day, machine, rounds, figures, series });
  renderReport();
}

/** Make the page and its pictures of `figures.json` as it is. */
export function renderReport(): void {
  const { page, pictures } = makeReport(readFigures());
  mkdirSync(picturesPath, { recursive: true });
  writeFileSync(pagePath, page);
  writeFileSync(fleetPath, withLoadModel(readFileSync(fleetPath, "utf8"), readFigures()["fleet"]));
  for (const [file, picture] of Object.entries(pictures)) writeFileSync(`${picturesPath}${file}`, picture);
}
