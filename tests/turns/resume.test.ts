import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, playTurn } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

let bench: TurnBench;
beforeEach(() => {
  bench = new TurnBench();
});
afterEach(() => bench.remove());

const remembers = { turns: [[{ text: "First: {{prompt}}" }], [{ text: "Second: {{prompt}}" }]] };

describe("A session goes on", () => {
  test("after Caret was closed and opened again", async () => {
    const workspace = bench.workspace(bench.simulator(remembers));
    const first = await bench.open();
    const one = await playTurn(first.engine, { prompt: "one", workspace });
    await first.close();
    const second = await bench.open();
    const two = await playTurn(second.engine, { prompt: "two", sessionId: one.turn.sessionId });
    expect([one.text, two.text]).toEqual(["First: one", "Second: two"]);
    expect(two.summary.sessionId).toBe(one.summary.sessionId);
    expect(bench.invocations().at(-1)?.argv.slice(-2)).toEqual(["--resume", one.summary.sessionId]);
  });

  test("after its agent died in the middle of a turn", async () => {
    const dies = { turns: [[{ text: "First." }, { crash: "SIGKILL" }], [{ text: "Second." }]] };
    const workspace = bench.workspace(bench.simulator(dies));
    const { engine } = await bench.open();
    const one = await playTurn(engine, { prompt: "one", workspace });
    expect(endOf(one.outcome)).toBe("killed");
    const two = await playTurn(engine, { prompt: "two", sessionId: one.turn.sessionId });
    expect(endOf(two.outcome)).toBe("completed");
    expect(two.summary.sessionId).toBe(one.summary.sessionId);
    expect(two.text).toBe("Second.");
  });

  test("with the transcript when the agent has lost its chat, and says so", async () => {
    const workspace = bench.workspace(bench.simulator(remembers));
    const { engine } = await bench.open();
    const one = await playTurn(engine, { prompt: "My name is Ada", workspace });
    rmSync(join(bench.configDir, "chats"), { recursive: true });
    const two = await playTurn(engine, { prompt: "Who am I?", sessionId: one.turn.sessionId });
    expect(two.summary.notices.map(({ kind }) => kind)).toEqual(["resume-lost"]);
    expect(two.summary.sessionId).not.toBe(one.summary.sessionId);
    const { argv = [], stdin } = bench.invocations().at(-1) ?? {};
    expect(argv).not.toContain("--resume");
    expect(stdin?.text).toContain("My name is Ada");
    expect(stdin?.text.endsWith("\n\nWho am I?")).toBe(true);
  });

  test("from a chat that was begun with the agent itself", async () => {
    const workspace = bench.workspace(bench.simulator(remembers));
    const { engine } = await bench.open();
    const elsewhere = await playTurn(engine, { prompt: "one", workspace });
    await engine.store.deleteSession(elsewhere.turn.sessionId);
    const chatId = elsewhere.summary.sessionId ?? "";
    const adopted = await playTurn(engine, { prompt: "two", workspace, sessionId: chatId });
    expect(adopted.text).toBe("Second: two");
    expect(adopted.turn.sessionId).toBe(chatId);
    expect(adopted.summary.sessionId).toBe(chatId);
  });

  test("but not from an id that nobody knows, nor in another workspace", async () => {
    const { engine } = await bench.open();
    const workspace = bench.workspace();
    const unknown = engine.startTurn({ prompt: "x", workspace, sessionId: "5c3ee8f3-0000-4000-8000-000000000000" });
    await expect(unknown).rejects.toMatchObject({ code: "session-not-found" });
    const { turn } = await playTurn(engine, { prompt: "one", workspace });
    const elsewhere = engine.startTurn({ prompt: "x", workspace: bench.workspace(), sessionId: turn.sessionId });
    await expect(elsewhere).rejects.toMatchObject({ code: "invalid-request" });
  });
});
