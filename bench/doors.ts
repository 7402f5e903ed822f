import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import type { BenchSetting } from "./doors/bench-setting.ts";
import { buildPrograms, builtPlace } from "./doors/build-programs.ts";
import { coldFirstToken, longDialogue, warmFirstToken } from "./doors/first-token.ts";
import { flood } from "./doors/flood.ts";
import { paced } from "./doors/paced.ts";
import { goneClients, slowReader } from "./doors/rough-clients.ts";
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
export async function benchDoors({ only, rounds, targets, serveArgs }: BenchOptions): Promise<BenchOutcome> {
  const names = only.length > 0 ? only : Object.keys(measurements);
  const chosen = names.map((name) => [name, measurementOf(name)] as const);
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-bench-")));
  try {
    const setting: BenchSetting = { directory, rounds, targets, serveArgs, ...buildPrograms(builtPlace) };
    const figures: Figure[] = [];
    for (const [name, measure] of chosen) {
      const began = performance.now();
      figures.push(...(await measure(setting)));
      console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
    }
    return {
      passed: figures.every(isMet),
      table: toDoorsTable(figures, rounds),
      report: { name: "doors", rounds, figures: figures.map(toRecord) },
      figures,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function toDoorsTable(figures: readonly Figure[], rounds: number): string {
  const floors = [
    "rawpipe: a bare Node server that pipes the agent's bytes",
    "direct: a native client that reads its pipe",
    "node: `node -e 0`",
  ];
  const head = `doors: medians of ${rounds} interleaved rounds (quartiles); ratio is to the floor`;
  return `${head}\nfloors: ${floors.join("; ")}\n\n${toFigureTable(figures)}\n`;
}

function measurementOf(name: string): Measurement {
  const found = Object.hasOwn(measurements, name) ? measurements[name] : undefined;
  if (found !== undefined) return found;
  throw new Error(`There is no measurement ${name}; there is: ${Object.keys(measurements).join(", ")}`);
}
