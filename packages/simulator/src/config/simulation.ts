import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../process/host.ts";
import { createIds, type Ids } from "../process/ids.ts";
import { createInvocationLog, createRecorder, type InvocationLog } from "../process/invocation-log.ts";
import { handleStopSignals, type StopSignals } from "../process/stop-signals.ts";
import type { QuirkName, Scenario } from "../scenario/scenario.ts";
import { findConfigDir } from "./config-dir.ts";
import { builtInModels, type CatalogueModel } from "./model-catalogue.ts";

/** What every command needs: the process, the scenario, and sources of ids and time that a seed makes repeatable. */
export interface Simulation {
  readonly host: Host;
  readonly configDir: string;
  readonly scenario?: { readonly path: string; readonly value: Scenario };
  readonly ids: Ids;
  readonly log: InvocationLog;
  /** Leaves this invocation's line in the log; only the first call does. */
  readonly recordInvocation: (stdin?: Buffer) => void;
  readonly stop: StopSignals;
  readonly models: readonly CatalogueModel[];
  readonly version: string;
  /** How the simulated version differs from the newest one. */
  readonly quirks: readonly QuirkName[];
  /** The clock of the stream's own timestamps; files are stamped with the host's. */
  readonly streamNow: () => number;
}

const defaultVersion = "2026.10.08-ca7e751";
/** Where time begins under a seed: every reading of the clock is one millisecond later than the last. */
const seededEpoch = 1_791_500_000_000;

export async function createSimulation(host: Host): Promise<Simulation> {
  const scenario = await readScenario(host.env["CARET_SIM_SCENARIO"]);
  const seed = host.env["CARET_SIM_SEED"];
  const log = createInvocationLog(host);
  if (scenario !== undefined && scenario.value.bootMs > 0) {
    await sleep(scenario.value.bootMs);
    log({ event: "booted" });
  }
  return {
    host,
    configDir: findConfigDir(host.env),
    ...(scenario === undefined ? {} : { scenario }),
    ids: createIds(seed),
    log,
    recordInvocation: createRecorder(host, log),
    stop: handleStopSignals(host, log),
    models: scenario?.value.models ?? builtInModels,
    version: scenario?.value.version ?? defaultVersion,
    quirks: scenario?.value.quirks ?? [],
    streamNow: seed === undefined ? host.now : createSeededClock(),
  };
}

async function readScenario(path: string | undefined): Promise<Simulation["scenario"]> {
  if (path === undefined || path === "") return undefined;
  // Loaded on demand: the checker is the heaviest import of the program, and most starts need no scenario.
  const { loadScenario } = await import("../scenario/load-scenario.ts");
  return { path, value: await loadScenario(path) };
}

function createSeededClock(): () => number {
  let readings = 0;
  return () => seededEpoch + readings++;
}
