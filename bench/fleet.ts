import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import { assertBuilt } from "./doors/assert-built.ts";
import { type Figure, isMet } from "./figures/figure.ts";
import { toRecord } from "./figures/figure-record.ts";
import { toFigureTable } from "./figures/figure-table.ts";
import { eventLatency, mostAppends, unfollowedEvents } from "./fleet/event-latency.ts";
import { failOver } from "./fleet/fail-over.ts";
import { firstTokens } from "./fleet/first-token.ts";
import { type FleetStage, openFleetStage } from "./fleet/fleet-stage.ts";
import { turnCost } from "./fleet/turn-cost.ts";

const APPEND_MS = 10_000;
const QUICK_APPEND_MS = 4_000;
const MOST_MS = 4_000;
const TURNS = 60;
const QUICK_TURNS = 20;

/** A gateway and a worker over PostgreSQL with fsync on, against a gateway by itself in the same run. */
export async function benchFleet({ quick, rounds, only }: BenchOptions): Promise<BenchOutcome> {
  assertBuilt();
  /** The last one kills the worker. */
  const measurements: Readonly<Record<string, (stage: FleetStage) => Promise<readonly Figure[]>>> = {
    "first-token": (stage) => firstTokens(stage, rounds),
    "event-latency": (stage) => eventLatency(stage, quick ? QUICK_APPEND_MS : APPEND_MS),
    unfollowed: (stage) => unfollowedEvents(stage, quick ? QUICK_APPEND_MS : APPEND_MS),
    "most-appends": (stage) => mostAppends(stage, MOST_MS),
    "turn-cost": (stage) => turnCost(stage, quick ? QUICK_TURNS : TURNS),
    "fail-over": failOver,
  };
  const unknown = only.filter((name) => !Object.hasOwn(measurements, name));
  if (unknown.length > 0)
    throw new Error(`There is no measurement ${unknown.join(", ")}; there is: ${Object.keys(measurements).join(", ")}`);
  const stage = await openFleetStage();
  const figures: Figure[] = [];
  try {
    for (const [name, measure] of Object.entries(measurements)) {
      if (only.length > 0 && !only.includes(name)) continue;
      const began = performance.now();
      figures.push(...(await measure(stage)));
      console.error(`${name}: ${((performance.now() - began) / 1_000).toFixed(0)} s`);
    }
  } finally {
    await stage.close();
  }
  const records = figures.map(toRecord);
  return {
    passed: figures.every(isMet),
    table: `fleet: one gateway, one worker, PostgreSQL with fsync on\n\n${toFigureTable(records)}\n`,
    report: { name: "fleet", figures: records },
    figures,
    series: [],
  };
}
