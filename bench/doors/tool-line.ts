import type { Figure } from "../figures/figure.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { uniquePrompt } from "./chat-request.ts";
import { contest, pickRounds } from "./contest.ts";
import { loadDoor } from "./load-door.ts";
import type { ServedDoor } from "./serve-door.ts";
import { countCpu } from "./server-cost.ts";

const LINE_BYTES = 50 * 1024 * 1024;
const OTHER = { deltas: 150, paceMs: 10 };

/** A tool result of 50 MB on one line, while another client listens to its own agent. */
export async function longToolLine(setting: BenchSetting): Promise<readonly Figure[]> {
  const rounds = await contest(setting, {}, (door) => once(setting, door));
  return [
    {
      what: "one 50 MB tool line: CPU",
      unit: "s",
      rounds: pickRounds(rounds, ({ cpuSeconds }) => cpuSeconds),
      floor: "rawpipe",
      bar: { of: "value", most: 0.3 },
    },
    {
      what: "one 50 MB tool line: longest stall of another stream",
      unit: "ms",
      rounds: pickRounds(rounds, ({ stallMs }) => stallMs),
      floor: "rawpipe",
      bar: { of: "value", most: 100 },
    },
  ];
}

async function once(
  setting: BenchSetting,
  door: ServedDoor,
): Promise<{ readonly cpuSeconds: number; readonly stallMs: number }> {
  const cpu = countCpu(door.pid, setting.agent);
  const other = loadDoor(setting, door, plan(OTHER.deltas, `deltas=${OTHER.deltas} pace=${OTHER.paceMs}`));
  const { answers } = await loadDoor(setting, door, plan(1, `deltas=1 tool=${LINE_BYTES}`));
  const cpuSeconds = cpu() / 1000;
  if (answers[0]?.isWhole !== true) throw new Error(`${door.name}: the turn with the long line did not get through`);
  return { cpuSeconds, stallMs: Math.max(...(await other).latenciesMs) };
}

function plan(deltas: number, orders: string) {
  const dialogues = [[{ role: "user", content: uniquePrompt(orders) } as const]];
  return { dialogues, order: "spread", ms: 0, deltas } as const;
}
