import { askDoor } from "./ask-door.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { contest } from "./contest.ts";
import type { Figure } from "./figure.ts";
import { cpuMs } from "./process-cost.ts";
import { median } from "./quantile.ts";
import type { ServedDoor } from "./serve-door.ts";
import { uniquePrompt } from "./unique-prompt.ts";

const LINE_BYTES = 50 * 1024 * 1024;
const PACE_MS = 10;

/** A tool result of 50 MB on one line, while another client listens to its own agent. */
export async function longToolLine(setting: BenchSetting): Promise<readonly Figure[]> {
  const { rawpipe, caret } = await contest(setting, setting.quick ? 2 : 5, once);
  const floor = { name: "rawpipe", value: median(rawpipe.map(({ cpuSeconds }) => cpuSeconds)) } as const;
  const caretCpu = median(caret.map(({ cpuSeconds }) => cpuSeconds));
  return [
    { what: "one 50 MB tool line: CPU", unit: "s", caret: caretCpu, target: 0.3 },
    { what: "the same, against the pipe", unit: "s", caret: caretCpu, floor },
    {
      what: "longest stall of another stream meanwhile",
      unit: "ms",
      caret: median(caret.map(({ stallMs }) => stallMs)),
      target: 100,
    },
  ];
}

async function once(door: ServedDoor): Promise<{ readonly cpuSeconds: number; readonly stallMs: number }> {
  const deltas = 200;
  const other = askDoor(door, { prompt: uniquePrompt(`deltas=${deltas} pace=${PACE_MS}`), deltas });
  const before = cpuMs(door.pids);
  const { latenciesMs } = await askDoor(door, { prompt: uniquePrompt(`deltas=1 tool=${LINE_BYTES}`), deltas: 1 });
  const cpuSeconds = (cpuMs(door.pids) - before) / 1000;
  if (latenciesMs.length !== 1) throw new Error("The turn with the long line did not get through");
  return { cpuSeconds, stallMs: Math.max(...(await other).latenciesMs) };
}
