import { askDoor } from "./ask-door.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { contest } from "./contest.ts";
import type { Figure } from "./figure.ts";
import { cpuMs } from "./process-cost.ts";
import { median } from "./quantile.ts";
import type { ServedDoor } from "./serve-door.ts";
import { uniquePrompt } from "./unique-prompt.ts";

/** One stream as fast as it goes: what the gateway computes for each delta. */
export async function flood(setting: BenchSetting): Promise<readonly Figure[]> {
  const deltas = setting.quick ? 200_000 : 500_000;
  const { rawpipe, caret } = await contest(setting, setting.quick ? 2 : 4, (door) => floodOnce(door, deltas));
  const figure = (what: string, pick: (once: FloodCost) => number): Figure => ({
    what,
    unit: "s",
    caret: median(caret.map(pick)),
    floor: { name: "rawpipe", value: median(rawpipe.map(pick)) },
  });
  return [
    { ...figure("CPU per million deltas, one flooding stream", ({ cpuSeconds }) => cpuSeconds), target: 4 },
    figure("time per million deltas", ({ seconds }) => seconds),
  ];
}

interface FloodCost {
  readonly cpuSeconds: number;
  readonly seconds: number;
}

async function floodOnce(door: ServedDoor, deltas: number): Promise<FloodCost> {
  const cpuBefore = cpuMs(door.pids);
  const startedAt = performance.now();
  const { latenciesMs } = await askDoor(door, { prompt: uniquePrompt(`deltas=${deltas}`), deltas });
  if (latenciesMs.length !== deltas) throw new Error(`Of ${deltas} deltas ${latenciesMs.length} arrived`);
  const perMillion = 1_000_000 / deltas / 1000;
  return {
    cpuSeconds: (cpuMs(door.pids) - cpuBefore) * perMillion,
    seconds: (performance.now() - startedAt) * perMillion,
  };
}
