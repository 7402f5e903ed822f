import type { Figure } from "../figures/figure.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { uniquePrompt } from "./chat-request.ts";
import { contest, pickRounds } from "./contest.ts";
import { loadDoor } from "./load-door.ts";
import type { ServedDoor } from "./serve-door.ts";
import { countCpu } from "./server-cost.ts";

const DELTAS = 200_000;

/** One stream as fast as it goes: what the gateway computes for each delta. */
export async function flood(setting: BenchSetting): Promise<readonly Figure[]> {
  const rounds = await contest(setting, {}, (door) => floodOnce(setting, door));
  const what = "flood of 200,000 deltas";
  return [
    {
      what: `${what}: CPU per million`,
      unit: "s",
      rounds: pickRounds(rounds, ({ cpuSeconds }) => cpuSeconds),
      floor: "rawpipe",
      bar: { of: "ratio", most: 2 },
    },
    {
      what: `${what}: time`,
      unit: "s",
      rounds: pickRounds(rounds, ({ seconds }) => seconds),
      floor: "rawpipe",
      bar: { of: "ratio", most: 2 },
    },
  ];
}

/** What one such stream costs a server. */
export async function floodOnce(
  setting: BenchSetting,
  door: ServedDoor,
): Promise<{ readonly cpuSeconds: number; readonly seconds: number }> {
  const cpu = countCpu(door.pid, setting.agent);
  const dialogues = [[{ role: "user", content: uniquePrompt(`deltas=${DELTAS}`) } as const]];
  const { answers } = await loadDoor(setting, door, { dialogues, order: "spread", ms: 0, deltas: DELTAS });
  const [answer] = answers;
  if (answer?.isWhole !== true) throw new Error(`${door.name} did not deliver all ${DELTAS} deltas`);
  return { cpuSeconds: (cpu() * (1_000_000 / DELTAS)) / 1000, seconds: answer.wholeMs / 1000 };
}
