import type { BenchSetting } from "./bench-setting.ts";
import { type DoorSettings, type ServedDoor, startCaret, startRawpipe } from "./serve-door.ts";

/** What came of each round, by the server's name. */
export type Rounds<Result> = Readonly<Record<string, readonly Result[]>>;

export type Serving = Omit<DoorSettings, "agent" | "directory" | "serveArgs">;

/**
 * Let all servers do the same, in turns, so that a machine that is busy for a while slows them alike. One round before
 * the first warms them up and is not counted.
 */
export async function contest<Result>(
  setting: BenchSetting,
  serving: Serving,
  measure: (door: ServedDoor) => Promise<Result>,
): Promise<Rounds<Result>> {
  const settings = { ...serving, ...setting };
  const own: ServedDoor[] = [];
  try {
    own.push(await startRawpipe(settings).ready);
    own.push(await startCaret(settings).ready);
    // The agents of other gateways boot as those are configured to start them.
    const doors = serving.bootMs === undefined ? [...own, ...setting.targets] : own;
    return await interleave(setting.rounds, doors, measure);
  } finally {
    await Promise.all(own.map((door) => door.stop()));
  }
}

async function interleave<Result>(
  rounds: number,
  doors: readonly ServedDoor[],
  measure: (door: ServedDoor) => Promise<Result>,
): Promise<Rounds<Result>> {
  const results: Record<string, Result[]> = Object.fromEntries(doors.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round += 1)
    for (const door of doors) {
      const result = await measure(door);
      if (round >= 0) results[door.name]?.push(result);
    }
  return results;
}

/** The same with a server that is started for each round and stopped after it; other gateways cannot take part. */
export async function freshContest<Result>(
  setting: BenchSetting,
  serving: Serving,
  measure: (door: ServedDoor) => Promise<Result>,
): Promise<Rounds<Result>> {
  const settings = { ...serving, ...setting };
  const results = { rawpipe: [] as Result[], caret: [] as Result[] };
  for (let round = 0; round < setting.rounds; round += 1)
    for (const start of [startRawpipe, startCaret]) {
      const door = await start(settings).ready;
      try {
        results[door.name as keyof typeof results].push(await measure(door));
      } finally {
        await door.stop();
      }
    }
  return results;
}

/** One number of each round's result. */
export function pickRounds<Result>(rounds: Rounds<Result>, pick: (result: Result) => number): Rounds<number> {
  return Object.fromEntries(Object.entries(rounds).map(([name, results]) => [name, results.map(pick)]));
}
