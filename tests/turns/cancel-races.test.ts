import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningTurn } from "@caret/runtime";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { delta, init, result } from "../faults/agent-lines.ts";
import { marks, prints } from "../faults/fault.ts";
import { endOf, playTurn } from "./play-turn.ts";
import { TurnBench, withSpawner } from "./turn-bench.ts";

const answers = `${prints(init, delta("Hello."))}sleep 0.03\n${prints(result("Hello."))}`;

let bench: TurnBench;
beforeAll(() => {
  bench = new TurnBench();
});
afterAll(() => bench.remove());

describe("Cancelling a turn", () => {
  const races = barSize({ quick: 20, full: 400 });
  test(`${races} cancellations around the result give one end each, and both kinds occur`, async () => {
    const { engine } = await bench.open({ settings: withSpawner });
    const workspace = bench.workspace(answers);
    const ends: string[] = [];
    for (let index = 0; index < races; index += 1) {
      const { outcome } = await playTurn(
        engine,
        { prompt: "Hello", workspace },
        { meanwhile: (turn) => cancelAround(turn, index / (races - 1)) },
      );
      ends.push(endOf(outcome));
    }
    expect([...new Set(ends)].sort()).toEqual(["cancelled", "completed"]);
  }, 600_000);

  test("after its end changes nothing", async () => {
    const { engine } = await bench.open();
    const { outcome } = await playTurn(
      engine,
      { prompt: "Hello", workspace: bench.workspace(answers) },
      {
        meanwhile: async (turn) => {
          await turn.outcome;
          turn.cancel();
        },
      },
    );
    expect(outcome).toEqual({ kind: "completed" });
  });

  test("twice is the same as once", async () => {
    const { engine } = await bench.open();
    const { outcome } = await playTurn(
      engine,
      { prompt: "Hello", workspace: bench.workspace("exec sleep 600\n") },
      {
        meanwhile: (turn) => {
          turn.cancel("first");
          turn.cancel("second");
        },
      },
    );
    expect(outcome).toEqual({ kind: "cancelled" });
  });

  test("asks a program of one's own by a message before it asks by a signal", async () => {
    const listens = `trap 'touch "$PWD.signal"' TERM\nread -r turn\n${marks("up")}read -r message\nprintf %s "$message" > "$PWD.message"
printf '{"type":"done","data":{"finishReason":"cancelled"}}\\n'\n`;
    const models = { custom: { command: bench.agentPath, args: [], promptAsArg: false } };
    const { engine } = await bench.open({ settings: { models } });
    const workspace = bench.workspace(listens);
    const { outcome } = await playTurn(
      engine,
      { prompt: "Hello", workspace, model: "custom" },
      {
        meanwhile: async (turn) => {
          await eventually(() => existsSync(`${workspace}.up`), "the program is up");
          turn.cancel();
        },
      },
    );
    expect(outcome).toEqual({ kind: "cancelled" });
    expect({
      isMessageRead: existsSync(`${workspace}.message`),
      isSignalled: existsSync(`${workspace}.signal`),
    }).toEqual({ isMessageRead: true, isSignalled: false });
  });

  test("closing the engine interrupts what runs and waits until it is gone", async () => {
    const opened = await bench.open();
    const workspace = bench.workspace(`${prints(init, delta("Hm."))}${marks("up")}exec sleep 600\n`);
    const turn = await opened.engine.startTurn({ prompt: "Hello", workspace });
    await eventually(() => existsSync(`${workspace}.up`), "the agent is up");
    await opened.close();
    expect(await turn.outcome).toMatchObject({
      kind: "failed",
      error: { code: "interrupted", retryable: false, hasActed: true },
    });
    expect(bench.processes(workspace)).toEqual([]);
    const late = opened.engine.startTurn({ prompt: "Hello", workspace });
    await expect(late).rejects.toMatchObject({ code: "overloaded" });
  });
});

/** At the turn's start, around its result, and after it: from 0 to 1. */
async function cancelAround(turn: RunningTurn, moment: number): Promise<void> {
  if (moment === 1) await turn.outcome;
  else if (moment > 0) {
    for await (const batch of turn.follow()) if (batch.some(({ event }) => event.type === "text-delta")) break;
    await sleep(moment * 60);
  }
  turn.cancel();
}
