import { setTimeout as sleep } from "node:timers/promises";
import type { Bar, Figure } from "../figures/figure.ts";
import { quantile } from "../figures/quantile.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { uniquePrompt } from "./chat-request.ts";
import { contest, pickRounds } from "./contest.ts";
import { loadDoor } from "./load-door.ts";
import type { ServedDoor } from "./serve-door.ts";
import { countCpu } from "./server-cost.ts";

const PACE_MS = 20;
const DELTAS = 150;
/** Streams begin spread over this time. */
const SPREAD_MS = 1000;
/** What a server does after its last answer, such as making seats for the next burst, counts for it and must not slow the next server. */
const REST_MS = 4000;

interface PacedCost {
  readonly cpuSeconds: number;
  readonly firstTokenP50: number;
  readonly firstTokenP99: number;
  readonly latencyP50: number;
  readonly latencyP99: number;
  readonly errors: number;
  readonly clientCpuSeconds: number;
  readonly latestMs: number;
}

/** The most that each may be, as a multiple of the floor. */
export type PacedBars = Readonly<Partial<Record<keyof PacedCost, number>>>;

const figures: readonly (readonly [keyof PacedCost, string, Figure["unit"]])[] = [
  ["cpuSeconds", "CPU", "s"],
  ["firstTokenP50", "first token p50", "ms"],
  ["firstTokenP99", "first token p99", "ms"],
  ["latencyP50", "latency p50", "ms"],
  ["latencyP99", "latency p99", "ms"],
];

/** Many streams at once, each as fast as a model speaks. */
export async function paced(setting: BenchSetting, streams: number, bars: PacedBars): Promise<readonly Figure[]> {
  const rounds = await contest(setting, {}, (door) => pacedOnce(setting, door, streams));
  const named = (what: string): string => `${streams} paced streams: ${what}`;
  const barOf = (most: number | undefined): { bar?: Bar } => (most === undefined ? {} : { bar: { of: "ratio", most } });
  return [
    ...figures.map(([key, what, unit]) => ({
      what: named(what),
      unit,
      rounds: pickRounds(rounds, (cost) => cost[key]),
      floor: "rawpipe",
      ...barOf(bars[key]),
    })),
    {
      what: named("errors"),
      unit: "",
      rounds: pickRounds(rounds, ({ errors }) => errors),
      bar: { of: "value", most: 0 },
    },
    {
      what: named("CPU of the load generator"),
      unit: "s",
      rounds: pickRounds(rounds, (cost) => cost.clientCpuSeconds),
    },
    { what: named("request sent late by at most"), unit: "ms", rounds: pickRounds(rounds, (cost) => cost.latestMs) },
  ];
}

async function pacedOnce(setting: BenchSetting, door: ServedDoor, streams: number): Promise<PacedCost> {
  const cpu = countCpu(door.pid, setting.agent);
  const orders = `deltas=${DELTAS} pace=${PACE_MS}`;
  const dialogues = Array.from({ length: streams }, () => [{ role: "user", content: uniquePrompt(orders) } as const]);
  const result = await loadDoor(setting, door, { dialogues, order: "spread", ms: SPREAD_MS, deltas: DELTAS });
  await sleep(REST_MS);
  const cpuSeconds = cpu() / 1000;
  const whole = result.answers.filter(({ isWhole }) => isWhole);
  const firstTokens = whole.map(({ firstTokenMs }) => firstTokenMs);
  return {
    cpuSeconds,
    firstTokenP50: quantile(firstTokens, 0.5),
    firstTokenP99: quantile(firstTokens, 0.99),
    latencyP50: quantile(result.latenciesMs, 0.5),
    latencyP99: quantile(result.latenciesMs, 0.99),
    errors: streams - whole.length,
    clientCpuSeconds: result.clientCpuMs / 1000,
    latestMs: result.latestMs,
  };
}
