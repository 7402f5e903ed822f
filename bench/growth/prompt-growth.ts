import type { BenchSetting } from "../doors/bench-setting.ts";
import { type ChatMessage, uniqueDialogue } from "../doors/chat-request.ts";
import { contest } from "../doors/contest.ts";
import { firstTokenMs } from "../doors/first-token.ts";
import { type Series, slopesOf } from "../figures/series.ts";
import type { Growth } from "./growth.ts";

const KILOBYTE = 1000;
const TURNS = 3;

/** The first token of dialogues with more and more messages. */
export async function dialogueLength(setting: BenchSetting): Promise<Growth> {
  const sizes = [10, 100, 300, 1000];
  const series = await firstTokens(setting, sizes, (size) => uniqueDialogue(size, KILOBYTE, "deltas=1"));
  const named = {
    ...series,
    id: "length",
    what: "first token by the length of the conversation",
    sizeName: "messages of 1 kB",
  };
  const what = "first token, for each 100 messages of 1 kB";
  return {
    series: [named],
    figures: [{ what, unit: "ms", rounds: slopesOf(named, 100), floor: "rawpipe" }],
  };
}

/** The first token of longer and longer prompts. */
export async function promptSize(setting: BenchSetting): Promise<Growth> {
  const sizes = [10, 100, 1000, 5000];
  const series = await firstTokens(setting, sizes, (size) => uniqueDialogue(1, size * KILOBYTE, "deltas=1"));
  const named = { ...series, id: "prompt", what: "first token by the size of the prompt", sizeName: "kB" };
  const what = "first token, for each MB of the prompt";
  return {
    series: [named],
    figures: [{ what, unit: "ms", rounds: slopesOf(named, 1000), floor: "rawpipe" }],
  };
}

async function firstTokens(
  setting: BenchSetting,
  sizes: readonly number[],
  dialogue: (size: number) => readonly ChatMessage[],
): Promise<Omit<Series, "id" | "what" | "sizeName">> {
  const results = await contest(setting, { keepWarm: false }, async (door) => {
    const points: number[] = [];
    for (const size of sizes) {
      const dialogues = Array.from({ length: TURNS }, () => dialogue(size));
      points.push(await firstTokenMs(setting, door, { dialogues }));
    }
    return points;
  });
  const rounds = Object.entries(results).map(([name, points]) => [
    name,
    sizes.map((_, index) => points.map((each) => each[index] ?? Number.NaN)),
  ]);
  return { sizes, scale: "powers", unit: "ms", rounds: Object.fromEntries(rounds) };
}
