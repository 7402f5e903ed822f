import { setTimeout as sleep } from "node:timers/promises";
import { askDoor } from "./ask-door.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { contest } from "./contest.ts";
import type { Figure } from "./figure.ts";
import { cpuMs } from "./process-cost.ts";
import { median, quantile } from "./quantile.ts";
import type { ServedDoor } from "./serve-door.ts";
import { uniquePrompt } from "./unique-prompt.ts";

const PACE_MS = 20;
/** Streams begin spread over this time. */
const SPREAD_MS = 1000;

export interface PacedTargets {
  readonly cpu?: number;
  readonly latency?: number;
  readonly firstToken?: number;
}

/** Many streams at once, each as fast as a model speaks. */
export async function paced(setting: BenchSetting, streams: number, targets: PacedTargets): Promise<readonly Figure[]> {
  const deltas = setting.quick ? 75 : 150;
  const { rawpipe, caret } = await contest(setting, setting.quick ? 1 : 2, (door) => pacedOnce(door, streams, deltas));
  const figure = (what: string, unit: Figure["unit"], target: number | undefined, key: keyof PacedCost): Figure => ({
    what: `${streams} paced streams: ${what}`,
    unit,
    caret: median(caret.map((cost) => cost[key])),
    floor: { name: "rawpipe", value: median(rawpipe.map((cost) => cost[key])) },
    ...(target === undefined ? {} : { target }),
  });
  return [
    figure("CPU per token", "µs", targets.cpu, "cpuMicroseconds"),
    figure("latency p50", "ms", undefined, "latencyP50"),
    figure("latency p99", "ms", targets.latency, "latencyP99"),
    figure("first token p99", "ms", targets.firstToken, "firstTokenP99"),
    {
      what: `${streams} paced streams: errors`,
      unit: "",
      caret: Math.max(...caret.map(({ errors }) => errors)),
      target: 0,
    },
  ];
}

interface PacedCost {
  readonly cpuMicroseconds: number;
  readonly latencyP50: number;
  readonly latencyP99: number;
  readonly firstTokenP99: number;
  readonly errors: number;
}

async function pacedOnce(door: ServedDoor, streams: number, deltas: number): Promise<PacedCost> {
  const cpuBefore = cpuMs(door.pids);
  const asked = Array.from({ length: streams }, async (_, index) => {
    await sleep((SPREAD_MS * index) / streams);
    return await askDoor(door, { prompt: uniquePrompt(`deltas=${deltas} pace=${PACE_MS}`), deltas });
  });
  const settled = await Promise.allSettled(asked);
  const answers = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const whole = answers.filter(({ status, latenciesMs }) => status === 200 && latenciesMs.length === deltas);
  const latencies = whole.flatMap(({ latenciesMs }) => latenciesMs);
  return {
    cpuMicroseconds: ((cpuMs(door.pids) - cpuBefore) * 1000) / (streams * deltas),
    latencyP50: quantile(latencies, 0.5),
    latencyP99: quantile(latencies, 0.99),
    firstTokenP99: quantile(
      whole.map(({ firstTokenMs }) => firstTokenMs),
      0.99,
    ),
    errors: streams - whole.length,
  };
}
