import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { barSize } from "../testing/bar-size.ts";
import {
  completedEnd,
  follow,
  type LaneScript,
  says,
  scriptedEngine,
  scriptedLane,
} from "./testing/scripted-engine.ts";

const SCHEDULES = barSize({ quick: 200, full: 1_000 });

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-interleaved-")));
  for (const name of ["a", "b"]) mkdirSync(join(root, name));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Says its workspace and prompt in steps; the schedule decides how long each takes. */
function pacedLane(next: () => number): LaneScript {
  return async function* ({ prompt, workspace }) {
    const upstream = { lane: "sim", sessionId: `chat-of-${workspace}` } as const;
    for (const [index, text] of [workspace, prompt].entries()) {
      for (let turns = next(); turns > 0; turns -= 1) await Promise.resolve();
      const raw = `raw of ${text}`;
      yield says(text, `text-${index}`).map((event, place) => (place === 0 ? { event, raw, upstream } : { event }));
    }
    yield [completedEnd];
  };
}

describe("two sessions at the same time", () => {
  it(`never mix, in ${SCHEDULES} random schedules`, async () => {
    const paces = fc.array(fc.nat({ max: 6 }), { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(paces, async (schedule) => {
        let step = 0;
        const next = (): number => schedule[step++ % schedule.length] ?? 0;
        const engine = scriptedEngine(scriptedLane(pacedLane(next)), root);
        const logs = await Promise.all(["a", "b"].map((name) => talk(engine, name)));
        expect(
          logs.map((log) => ({
            saysA: /\b(?:prompt|raw of prompt) a/.test(log),
            saysB: /\b(?:prompt|raw of prompt) b/.test(log),
          })),
        ).toEqual([
          { saysA: true, saysB: false },
          { saysA: false, saysB: true },
        ]);
      }),
      { numRuns: SCHEDULES },
    );
  });
});

/** Two turns of one session; everything that was logged of it. */
async function talk(engine: ReturnType<typeof scriptedEngine>, name: string): Promise<string> {
  const workspace = join(root, name);
  const one = await engine.startTurn({ prompt: `prompt ${name}1`, workspace });
  await follow(one);
  await one.settled;
  const two = await engine.startTurn({ prompt: `prompt ${name}2`, sessionId: one.sessionId });
  await follow(two);
  await two.settled;
  return JSON.stringify([await engine.store.read(one.sessionId), await engine.store.getSession(one.sessionId)]);
}
