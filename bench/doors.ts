import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import type { BenchSetting } from "./doors/bench-setting.ts";
import { coldFirstToken, longDialogue, warmFirstToken } from "./doors/first-token.ts";
import { flood } from "./doors/flood.ts";
import { paced } from "./doors/paced.ts";
import { goneClients, slowReader } from "./doors/rough-clients.ts";
import { runMeasurements } from "./doors/run-measurements.ts";
import { helpCommand, startUp } from "./doors/start-up.ts";
import { longToolLine } from "./doors/tool-line.ts";
import { type Figure, isMet } from "./figures/figure.ts";
import { toRecord } from "./figures/figure-record.ts";
import { toFigureTable } from "./figures/figure-table.ts";

type Measurement = (setting: BenchSetting) => Promise<readonly Figure[]>;

const measurements: Readonly<Record<string, Measurement>> = {
  help: helpCommand,
  start: startUp,
  cold: coldFirstToken,
  warm: warmFirstToken,
  "paced-64": (setting) => paced(setting, 64, { cpuSeconds: 1.5, firstTokenP99: 1.5, latencyP99: 3 }),
  "paced-256": (setting) => paced(setting, 256, { cpuSeconds: 1.5, firstTokenP50: 1.5, firstTokenP99: 1.5 }),
  flood,
  "tool-line": longToolLine,
  dialogue: longDialogue,
  "slow-reader": slowReader,
  gone: goneClients,
};

/** What the gateway costs between a client and its agent, against a program that does the least possible. */
export async function benchDoors(options: BenchOptions): Promise<BenchOutcome> {
  const { rounds } = options;
  const figures = (await runMeasurements(measurements, options)).flat();
  return {
    passed: figures.every(isMet),
    table: toDoorsTable(figures, rounds),
    report: { name: "doors", rounds, figures: figures.map(toRecord) },
    figures,
    series: [],
  };
}

function toDoorsTable(figures: readonly Figure[], rounds: number): string {
  const floors = [
    "rawpipe: a bare Node server that pipes the agent's bytes",
    "direct: a native client that reads its pipe",
    "node: `node -e 0`",
  ];
  const head = `doors: medians of ${rounds} interleaved rounds (quartiles); ratio is to the floor`;
  return `${head}\nfloors: ${floors.join("; ")}\n\n${toFigureTable(figures.map(toRecord))}\n`;
}
