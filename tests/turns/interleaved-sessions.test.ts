import type { SessionEngine } from "@caret/runtime";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { init } from "../faults/agent-lines.ts";
import { prints } from "../faults/fault.ts";
import { playTurn } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

const delta = (text: string) =>
  `printf '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"%s "}]},"timestamp_ms":1}\\n' "${text}"\n`;

/**
 * Says where it is and what it was asked, in pieces and with pauses, so that two of them mix in time. It keeps no chat, so
 * that a later turn comes with the transcript before its last line.
 */
const echoes = `prompt=$(tail -n 1)
${prints(init)}${delta("$PWD")}sleep 0.00\${#prompt}\n${delta("$prompt")}sleep 0.002\n${delta("$prompt")}
printf '{"type":"result","subtype":"success","is_error":false,"result":""}\\n'\n`;

let bench: TurnBench;
let engine: SessionEngine;
beforeAll(async () => {
  bench = new TurnBench();
  engine = (await bench.open({ keepWarm: true })).engine;
});
afterAll(() => bench.remove());

describe("Two sessions in two workspaces", () => {
  // Real processes are slow to start, so that the thousand schedules of the full bar take minutes. The engine alone
  // does a thousand in a second: packages/runtime/src/turns/interleaved-turns.test.ts.
  const schedules = barSize({ quick: 12, full: 1_000 });
  test(`never get a byte of each other's, whatever the order (${schedules} schedules of real agents)`, async () => {
    const workspaces = [bench.workspace(echoes), bench.workspace(echoes)];
    const pauses = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 2 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.tuple(pauses, pauses), async (schedule) => {
        round += 1;
        const asked = await Promise.all(
          workspaces.map((workspace, index) => talk(workspace, `s${index}r${round}`, schedule[index] ?? [])),
        );
        for (const { texts, expected } of asked) expect(texts).toEqual(expected);
      }),
      { numRuns: schedules },
    );
  }, 600_000);
});

/** One session's turns, one after the other, each after a pause. */
async function talk(
  workspace: string,
  name: string,
  pauses: readonly number[],
): Promise<{ readonly texts: readonly string[]; readonly expected: readonly string[] }> {
  const texts: string[] = [];
  const expected: string[] = [];
  let sessionId: string | undefined;
  for (const [index, pauseMs] of pauses.entries()) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const prompt = `${name}t${index}`;
    const played = await playTurn(engine, { prompt, ...(sessionId === undefined ? { workspace } : { sessionId }) });
    sessionId = played.turn.sessionId;
    texts.push(played.text);
    expected.push(`${workspace} ${prompt} ${prompt} `);
    expect([...new Set(JSON.stringify(played.events).match(/s\dr\d+/g))]).toEqual([name]);
  }
  return { texts, expected };
}
