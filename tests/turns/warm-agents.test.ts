import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { playTurn } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

const slowToBoot = { bootMs: 300, turns: [[{ text: "You said: {{prompt}}" }]] };

let bench: TurnBench;
beforeEach(() => {
  bench = new TurnBench();
});
afterEach(() => bench.remove());

describe("Warm agents", () => {
  test("have booted when their prompt comes", async () => {
    const workspace = bench.workspace(bench.simulator(slowToBoot));
    const { engine } = await bench.open({ keepWarm: true });
    await playTurn(engine, { prompt: "cold", workspace });
    await untilWarm(workspace, 2);
    const booted = bench.booted();
    await playTurn(engine, { prompt: "warm", workspace });
    const asked = bench.invocations().find(({ stdin }) => stdin?.text === "warm");
    expect(booted).toContain(asked?.pid);
  });

  test("go on with the session that they were started for", async () => {
    const workspace = bench.workspace(bench.simulator(slowToBoot));
    const { engine } = await bench.open({ keepWarm: true });
    const one = await playTurn(engine, { prompt: "one", workspace });
    await untilWarm(workspace, 2);
    const two = await playTurn(engine, { prompt: "two", sessionId: one.turn.sessionId });
    await untilWarm(workspace, 2);
    const three = await playTurn(engine, { prompt: "three", sessionId: one.turn.sessionId });
    const resumed = bench
      .invocations()
      .slice(-2)
      .map(({ argv }) => argv.slice(-2));
    expect([two.summary.sessionId, three.summary.sessionId]).toEqual([one.summary.sessionId, one.summary.sessionId]);
    expect(resumed).toEqual([
      ["--resume", one.summary.sessionId],
      ["--resume", one.summary.sessionId],
    ]);
  });

  test("are not used when they were started before the session's last turn", async () => {
    const workspace = bench.workspace(bench.simulator(slowToBoot));
    const { engine } = await bench.open({ keepWarm: true, settings: { warm: { max: 8 } } });
    const one = await playTurn(engine, { prompt: "one", workspace });
    await eventually(() => bench.processes(workspace).length >= 2, "agents wait");
    const old = bench.processes(workspace);
    await playTurn(engine, { prompt: "two", sessionId: one.turn.sessionId, mode: "ask" });
    await playTurn(engine, { prompt: "three", sessionId: one.turn.sessionId });
    const last = bench.invocations().find(({ stdin }) => stdin?.text === "three");
    expect(old).not.toContain(last?.pid);
  });

  test("stay when a side call is answered, which leaves none of its own", async () => {
    const [workspace, scratch] = [bench.workspace(), bench.workspace()];
    const { engine } = await bench.open({ keepWarm: true, settings: { warm: { max: 8 } } });
    await playTurn(engine, { prompt: "one", workspace });
    await eventually(() => bench.processes(workspace).length === 2, "two agents to wait");
    const waiting = bench.processes(workspace);
    await playTurn(engine, { prompt: "A title, please", workspace: scratch, mode: "ask", isAside: true });
    expect([bench.processes(workspace), bench.processes(scratch)]).toEqual([waiting, []]);
  });

  test("never see a byte of another session, and are used once", async () => {
    const workspaces = [bench.workspace(bench.simulator(slowToBoot)), bench.workspace(bench.simulator(slowToBoot))];
    const { engine } = await bench.open({ keepWarm: true, settings: { warm: { max: 4 } } });
    for (const round of [1, 2, 3])
      await Promise.all(
        workspaces.map(async (workspace, index) => {
          const prompt = `canary-${index}-${round}`;
          const { text } = await playTurn(engine, { prompt, workspace });
          expect(text).toBe(`You said: ${prompt}`);
        }),
      );
    const asked = bench.invocations().filter(({ stdin }) => stdin?.text.startsWith("canary-"));
    expect(asked.map(({ stdin, cwd }) => [stdin?.text.split("-")[1], cwd]).sort()).toEqual(
      workspaces.flatMap((workspace, index) => [1, 2, 3].map(() => [String(index), workspace])).sort(),
    );
    expect(new Set(asked.map(({ pid }) => pid)).size).toBe(asked.length);
  });

  test("are gone when the engine is closed", async () => {
    const workspace = bench.workspace(bench.simulator(slowToBoot));
    const opened = await bench.open({ keepWarm: true });
    await playTurn(opened.engine, { prompt: "one", workspace });
    await untilWarm(workspace, 1);
    await opened.close();
    expect(bench.processes(workspace)).toEqual([]);
  });
});

async function untilWarm(workspace: string, count: number): Promise<void> {
  const areWarm = (): boolean => {
    const booted = bench.booted();
    return bench.processes(workspace).filter((pid) => booted.includes(pid)).length >= count;
  };
  await eventually(areWarm, "agents have booted and wait");
}
