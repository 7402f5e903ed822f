import { type DoorSettings, type ServedDoor, serveCaret, serveRawpipe } from "./serve-door.ts";

export interface Contest<Result> {
  readonly rawpipe: readonly Result[];
  readonly caret: readonly Result[];
}

/**
 * Let both servers do the same, in turns, so that a machine that is busy for a while slows both alike. One round before
 * the first warms them up and is not counted.
 */
export async function contest<Result>(
  settings: DoorSettings,
  rounds: number,
  measure: (door: ServedDoor) => Promise<Result>,
): Promise<Contest<Result>> {
  const doors = { rawpipe: await serveRawpipe(settings), caret: await serveCaret(settings) };
  const results = { rawpipe: [] as Result[], caret: [] as Result[] };
  try {
    for (let round = -1; round < rounds; round += 1)
      for (const name of ["rawpipe", "caret"] as const) {
        const result = await measure(doors[name]);
        if (round >= 0) results[name].push(result);
      }
    return results;
  } finally {
    await Promise.all([doors.rawpipe.stop(), doors.caret.stop()]);
  }
}
