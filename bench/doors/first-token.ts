import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { askDoor } from "./ask-door.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { contest } from "./contest.ts";
import type { Figure } from "./figure.ts";
import { median } from "./quantile.ts";
import { type ServedDoor, serveCaret } from "./serve-door.ts";
import { uniquePrompt } from "./unique-prompt.ts";

const BOOT_MS = 300;
const LONG_PROMPT_BYTES = 5 * 1024 * 1024;

export async function coldFirstToken(setting: BenchSetting): Promise<readonly Figure[]> {
  const rounds = setting.quick ? 30 : 120;
  const { rawpipe, caret } = await contest({ ...setting, keepWarm: false }, rounds, firstTokenMs);
  const floor = { name: "rawpipe", value: median(rawpipe) } as const;
  return [{ what: "first token p50, cold agent", unit: "ms", caret: median(caret), floor, target: 1.15 }];
}

/** The time an agent takes to boot is hidden by one that has booted already. */
export async function warmFirstToken(setting: BenchSetting): Promise<readonly Figure[]> {
  const rounds = setting.quick ? 5 : 15;
  const door = await serveCaret({ ...setting, bootMs: BOOT_MS });
  const caret: number[] = [];
  const direct: number[] = [];
  try {
    const cold = await firstTokenMs(door);
    for (let round = 0; round < rounds; round += 1) {
      // The next agent is started when a turn has ended, and has to boot.
      await sleep(BOOT_MS * 2);
      caret.push(await firstTokenMs(door));
      direct.push(directFirstTokenMs(setting, uniquePrompt("deltas=1"), ["--boot", String(BOOT_MS)]));
    }
    const what = `first token p50, ${BOOT_MS} ms boot, warm agent`;
    return [
      { what, unit: "ms", caret: median(caret), floor: { name: "direct", value: median(direct) }, target: 0.1 },
      { what: "the same gateway's first turn, cold", unit: "ms", caret: cold },
    ];
  } finally {
    await door.stop();
  }
}

export async function longPrompt(setting: BenchSetting): Promise<readonly Figure[]> {
  const rounds = setting.quick ? 3 : 9;
  const direct: number[] = [];
  const { caret } = await contest({ ...setting, keepWarm: false }, rounds, async (door) => {
    const prompt = uniquePrompt(`${"all work and no play ".repeat(LONG_PROMPT_BYTES / 21)} deltas=1`);
    direct.push(directFirstTokenMs(setting, prompt, []));
    const { firstTokenMs } = await askDoor(door, { prompt, deltas: 1 });
    return firstTokenMs;
  });
  const floor = { name: "direct", value: median(direct) } as const;
  return [{ what: "first token of a 5 MB prompt", unit: "ms", caret: median(caret), floor, target: 1.6 }];
}

async function firstTokenMs(door: ServedDoor): Promise<number> {
  const { firstTokenMs } = await askDoor(door, { prompt: uniquePrompt("deltas=1"), deltas: 1 });
  return firstTokenMs;
}

function directFirstTokenMs({ agent, direct, directory }: BenchSetting, prompt: string, args: string[]): number {
  const file = join(directory, "prompt.txt");
  writeFileSync(file, prompt);
  return Number(execFileSync(direct, [file, agent, ...args], { encoding: "utf8" })) / 1000;
}
