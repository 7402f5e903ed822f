import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TurnEnd } from "./create-session-engine.ts";
import { completedEnd, follow, type LaneScript, scriptedEngine, scriptedLane } from "./testing/scripted-engine.ts";

let workspace: string;
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "caret-turn-limit-")));
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe("the limit on concurrent turns", () => {
  it("names itself, counts turns that only start, and frees a turn's slot at its outcome", async () => {
    const finish = Promise.withResolvers<void>();
    const cleanUp = Promise.withResolvers<void>();
    const script: LaneScript = async function* () {
      await finish.promise;
      yield [completedEnd];
      await cleanUp.promise;
    };
    const engine = scriptedEngine(scriptedLane(script), workspace, { maxTurns: 1 });
    const starting = engine.startTurn({ prompt: "one", workspace });
    const refused = { code: "overloaded", message: "Too many concurrent turns (limit 1)" };
    await expect(engine.startTurn({ prompt: "two", workspace })).rejects.toMatchObject(refused);
    const first = await starting;
    await expect(engine.startTurn({ prompt: "three", workspace })).rejects.toMatchObject(refused);
    finish.resolve();
    await first.outcome;
    expect(engine.runningTurns()).toEqual([first]);
    const next = await engine.startTurn({ prompt: "four", workspace });
    cleanUp.resolve();
    expect(await next.outcome).toEqual({ kind: "completed" });
    await engine.close();
  });

  it("frees the slot of a turn that could not start", async () => {
    const script: LaneScript = async function* () {
      yield [completedEnd];
    };
    const engine = scriptedEngine(scriptedLane(script), workspace, { maxTurns: 1 });
    await expect(engine.startTurn({ prompt: "", workspace })).rejects.toMatchObject({ code: "invalid-request" });
    const turn = await engine.startTurn({ prompt: "one", workspace });
    expect(await turn.outcome).toEqual({ kind: "completed" });
    await engine.close();
  });
});

describe("a quota", () => {
  it.each([
    ["user", { user: { atOnce: 1 } }, "The user ada has 1 turn running, and may have no more at once"],
    ["team", { team: { turns: 2 } }, "The team's budget of 2 turns is used up (2 turns)"],
  ])("of a %s holds for turns that are asked for at once", async (_scope, quotas, refusal) => {
    const finish = Promise.withResolvers<void>();
    const script: LaneScript = async function* () {
      await finish.promise;
      yield [completedEnd];
    };
    const engine = scriptedEngine(scriptedLane(script), workspace, {
      budgets: () => ({ turn: {}, session: {}, day: {}, ...quotas }),
    });
    const asked = ["ada", "bob", "ada"].map((user) => engine.beginTurn({ prompt: "x", workspace, user, team: "web" }));
    const begun = await Promise.allSettled(asked);
    expect(begun.map((one) => (one.status === "fulfilled" ? "begun" : String(one.reason.message)))).toEqual([
      "begun",
      "begun",
      refusal,
    ]);
    finish.resolve();
    await engine.close();
  });
});

describe("onTurnEnd", () => {
  it("is called once per turn, with the last usage, whether nobody, one or two readers follow it", async () => {
    const ends: TurnEnd[] = [];
    const script: LaneScript = async function* ({ prompt }, signal) {
      yield [{ type: "usage", usage: { input: 1 } }];
      yield [{ type: "usage", usage: { input: 3, output: 2 } }];
      if (prompt === "cancelled" && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield [prompt === "cancelled" ? { type: "turn-end", outcome: { kind: "cancelled" } } : completedEnd];
    };
    const engine = scriptedEngine(scriptedLane(script), workspace, { onTurnEnd: (end) => ends.push(end) });
    await (await engine.startTurn({ prompt: "unread", workspace })).settled;
    const shared = await engine.startTurn({ prompt: "shared", workspace });
    await Promise.all([follow(shared), follow(shared)]);
    const left = await engine.startTurn({ prompt: "cancelled", workspace });
    left.cancel();
    await left.settled;
    const usage = { input: 3, output: 2 };
    expect(ends).toEqual([
      { outcome: { kind: "completed" }, usage },
      { outcome: { kind: "completed" }, usage },
      { outcome: { kind: "cancelled" }, usage },
    ]);
    await engine.close();
  });
});
