import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchOutcome } from "./bench-outcome.ts";
import type { BenchSetting } from "./doors/bench-setting.ts";
import { buildAgents } from "./doors/build-agents.ts";
import { type Figure, isMet, toFigureTable } from "./doors/figure.ts";
import { coldFirstToken, longPrompt, warmFirstToken } from "./doors/first-token.ts";
import { flood } from "./doors/flood.ts";
import { longToolLine } from "./doors/long-tool-line.ts";
import { paced } from "./doors/paced.ts";
import { roughClients } from "./doors/rough-clients.ts";

type Measurement = (setting: BenchSetting) => Promise<readonly Figure[]>;

const measurements: Readonly<Record<string, Measurement>> = {
  cold: coldFirstToken,
  warm: warmFirstToken,
  flood,
  "paced-64": (setting) => paced(setting, 64, { cpu: 1.25, latency: 1.25 }),
  "paced-256": (setting) => paced(setting, 256, { firstToken: 0.6 }),
  "tool-line": longToolLine,
  prompt: longPrompt,
  rough: roughClients,
};

/** What the gateway costs between a client and its agent, against programs that do the least possible. */
export function benchDoors(options: DoorsOptions): Promise<BenchOutcome> {
  return measure("doors", options.only.length > 0 ? options.only : Object.keys(measurements), options.quick);
}

/** Only what an agent that has booted already is worth. */
export function benchWarm({ quick }: DoorsOptions): Promise<BenchOutcome> {
  return measure("warm", ["warm"], quick);
}

export interface DoorsOptions {
  readonly quick: boolean;
  /** The names of measurements; none means all. */
  readonly only: readonly string[];
}

async function measure(name: string, only: readonly string[], quick: boolean): Promise<BenchOutcome> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-bench-")));
  try {
    const setting: BenchSetting = { directory, quick, ...buildAgents(directory) };
    const figures: Figure[] = [];
    for (const each of only) figures.push(...(await measurementOf(each)(setting)));
    const floors =
      "rawpipe: a bare Node server that pipes the agent's bytes; direct: a native client that reads its pipe";
    return {
      passed: figures.every(isMet),
      table: `${name}: medians; ratio is caret / floor\nfloors: ${floors}\n\n${toFigureTable(figures)}\n`,
      report: { name, quick, figures: figures.map((figure) => ({ ...figure, met: isMet(figure) })) },
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measurementOf(name: string): Measurement {
  const found = Object.hasOwn(measurements, name) ? measurements[name] : undefined;
  if (found !== undefined) return found;
  throw new Error(`There is no measurement ${name}; there is: ${Object.keys(measurements).join(", ")}`);
}
