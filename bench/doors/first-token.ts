import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "../figures/figure.ts";
import { median } from "../figures/quantile.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { type ChatMessage, uniqueDialogue, uniquePrompt } from "./chat-request.ts";
import { contest } from "./contest.ts";
import { loadDoor } from "./load-door.ts";
import type { ServedDoor } from "./serve-door.ts";

const COLD_TURNS = 20;
const BOOT_MS = 300;
const WARM_TURNS = 3;
const DIALOGUE = { messages: 1000, bytesEach: 5 * 1024 };
/** So that an agent that has just ended is out of the way. */
const PAUSE_MS = 10;

/** The median of turns one after the other: a round's first token. */
export async function firstTokenMs(
  setting: BenchSetting,
  door: ServedDoor,
  { dialogues, ms = PAUSE_MS }: { readonly dialogues: readonly (readonly ChatMessage[])[]; readonly ms?: number },
): Promise<number> {
  const { answers } = await loadDoor(setting, door, { dialogues, order: "sequence", ms, deltas: 1 });
  const failed = answers.filter(({ isWhole }) => !isWhole).length;
  if (failed > 0) throw new Error(`${door.name}: ${failed} of ${answers.length} answers did not come whole`);
  return median(answers.map((answer) => answer.firstTokenMs));
}

/** So many first messages of one token. */
export function shortDialogues(count: number): readonly (readonly ChatMessage[])[] {
  return Array.from({ length: count }, () => [{ role: "user", content: uniquePrompt("deltas=1") }]);
}

export async function coldFirstToken(setting: BenchSetting): Promise<readonly Figure[]> {
  const direct: number[] = [];
  const rounds = await contest(setting, { keepWarm: false }, async (door) => {
    if (door.name === "rawpipe")
      direct.push(median(Array.from({ length: COLD_TURNS }, () => directFirstTokenMs(setting))));
    return await firstTokenMs(setting, door, { dialogues: shortDialogues(COLD_TURNS) });
  });
  const what = "first token, cold agent, p50";
  return [
    {
      what,
      unit: "ms",
      rounds: { ...rounds, direct: direct.slice(1) },
      floor: "rawpipe",
      bar: { of: "ratio", most: 1.15 },
    },
  ];
}

/** The time an agent takes to boot is hidden by one that has booted already. */
export async function warmFirstToken(setting: BenchSetting): Promise<readonly Figure[]> {
  // The next agent is started when a turn has ended, and has to boot.
  const ms = BOOT_MS * 2;
  const rounds = await contest(setting, { bootMs: BOOT_MS }, (door) =>
    firstTokenMs(setting, door, { dialogues: shortDialogues(WARM_TURNS), ms }),
  );
  const what = `first token, agent of ${BOOT_MS} ms boot, warm`;
  return [{ what, unit: "ms", rounds, floor: "rawpipe", bar: { of: "ratio", most: 0.1 } }];
}

export async function longDialogue(setting: BenchSetting): Promise<readonly Figure[]> {
  const rounds = await contest(setting, { keepWarm: false }, (door) => {
    const dialogue = uniqueDialogue(DIALOGUE.messages, DIALOGUE.bytesEach, "deltas=1");
    return firstTokenMs(setting, door, { dialogues: [dialogue] });
  });
  return [
    {
      what: "first token of a 5 MB conversation",
      unit: "ms",
      rounds,
      floor: "rawpipe",
      bar: { of: "ratio", most: 1.3 },
    },
  ];
}

function directFirstTokenMs({ agent, direct, directory }: BenchSetting): number {
  const file = join(directory, "prompt.txt");
  writeFileSync(file, uniquePrompt("deltas=1"));
  return Number(execFileSync(direct, [file, agent], { encoding: "utf8" })) / 1000;
}
