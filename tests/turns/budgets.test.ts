import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, playTurn } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

let bench: TurnBench;
beforeEach(() => {
  bench = new TurnBench();
});
afterEach(() => bench.remove());

const spends = { turns: [[{ text: "Done." }, { usage: { inputTokens: 900, outputTokens: 100 } }]] };

describe("A budget", () => {
  test("of a session stops its next turn before the agent starts, and no other session", async () => {
    const { engine } = await bench.open({ settings: { budgets: { session: { tokens: 1_000 } } } });
    const workspace = bench.workspace(bench.simulator(spends));
    const one = await playTurn(engine, { prompt: "one", workspace });
    expect(one.outcome).toEqual({ kind: "completed" });
    const before = bench.invocations().length;
    const two = await playTurn(engine, { prompt: "two", sessionId: one.turn.sessionId });
    expect(endOf(two.outcome)).toBe("budget-exceeded");
    expect(bench.invocations().length).toBe(before);
    const other = await playTurn(engine, { prompt: "three", workspace });
    expect(other.outcome).toEqual({ kind: "completed" });
  });

  test("of a day stops every session, and still does after a restart", async () => {
    const settings = { budgets: { day: { tokens: 1_000 } } };
    const workspace = bench.workspace(bench.simulator(spends));
    const first = await bench.open({ settings });
    await playTurn(first.engine, { prompt: "one", workspace });
    await first.close();
    const { engine } = await bench.open({ settings });
    const next = await playTurn(engine, { prompt: "two", workspace });
    expect(endOf(next.outcome)).toBe("budget-exceeded");
  });

  test("of a turn stops a program that reports what it uses while it works", async () => {
    const greedy = `read -r turn
printf '{"type":"assistant_delta","data":{"content":"Working"}}\\n'
printf '{"type":"usage","data":{"inputTokens":5000,"outputTokens":100}}\\n'
exec sleep 600\n`;
    const models = { custom: { command: bench.agentPath, args: [], promptAsArg: false } };
    const { engine } = await bench.open({ settings: { models, budgets: { turn: { tokens: 1_000 } } } });
    const workspace = bench.workspace(greedy);
    const { outcome, text, elapsedMs } = await playTurn(engine, { prompt: "Hello", workspace, model: "custom" });
    expect(endOf(outcome)).toBe("budget-exceeded");
    expect(outcome).toMatchObject({ error: { message: expect.stringMatching(/turn/) } });
    expect(text).toBe("Working");
    expect(elapsedMs).toBeLessThan(8_000);
    expect(bench.processes(workspace)).toEqual([]);
  });
});
