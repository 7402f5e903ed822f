import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import type { BenchSetting } from "./doors/bench-setting.ts";
import { runMeasurements } from "./doors/run-measurements.ts";
import { isMet } from "./figures/figure.ts";
import { toRecord } from "./figures/figure-record.ts";
import { toFigureTable } from "./figures/figure-table.ts";
import { toSeriesRecord } from "./figures/series.ts";
import type { Growth } from "./growth/growth.ts";
import { dialogueLength, promptSize } from "./growth/prompt-growth.ts";
import { storeSize } from "./growth/store-growth.ts";
import { uptime } from "./growth/uptime-growth.ts";

/** How costs grow with what a gateway is given and keeps: slopes, not points. */
export async function benchGrowth(options: BenchOptions): Promise<BenchOutcome> {
  const measurements: Readonly<Record<string, (setting: BenchSetting) => Promise<Growth>>> = {
    length: dialogueLength,
    prompt: promptSize,
    store: (setting) => storeSize(setting, options.full),
    uptime: (setting) => uptime(setting, options.full),
  };
  const growths = await runMeasurements(measurements, options);
  const figures = growths.flatMap((growth) => growth.figures);
  const series = growths.flatMap((growth) => growth.series);
  const head = `growth: medians of ${options.rounds} interleaved rounds (quartiles); ratio is to the floor`;
  return {
    passed: figures.every(isMet),
    table: `${head}\n\n${toFigureTable(figures.map(toRecord))}\n`,
    report: {
      name: "growth",
      rounds: options.rounds,
      figures: figures.map(toRecord),
      series: series.map(toSeriesRecord),
    },
    figures,
    series,
  };
}
