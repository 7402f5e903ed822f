import type { OpenedEngine } from "@caret/cli/src/engine/compose.ts";
import type { RunningTurn } from "@caret/runtime";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endOf, type PlayedTurn, playTurn } from "../turns/play-turn.ts";
import { TurnBench } from "../turns/turn-bench.ts";

let bench: TurnBench;
let opened: OpenedEngine;
beforeEach(async () => {
  bench = new TurnBench();
  opened = await bench.open({ settings: { lane: "acp", warm: { idleMs: 60_000 } }, keepWarm: true });
});
afterEach(() => bench.remove());

const sessions = ["a", "b", "c", "d", "e"];

/** Resolves when the agent has said something. */
async function spoken(turn: RunningTurn): Promise<void> {
  for await (const batch of turn.follow()) if (batch.some(({ event }) => event.type === "text-delta")) return;
}

test("a process that is killed in the middle of ten turns of five sessions ends each of them, and the next ones work", async () => {
  const hangs = [{ text: "Half." }, { hang: true }];
  const workspace = bench.workspace(bench.simulator({ turns: [hangs, hangs, [{ text: "Whole." }]] } as never));
  const ids = new Map<string, string>();
  /** One turn of each session, in one process, which is killed when all of them have spoken. */
  const killed = async (): Promise<readonly string[]> => {
    const speaking: Promise<void>[] = [];
    const turns = sessions.map((name) => {
      const sessionId = ids.get(name);
      return playTurn(
        opened.engine,
        { prompt: "Go", ...(sessionId === undefined ? { workspace } : { sessionId }) },
        { meanwhile: (turn) => void speaking.push(spoken(turn).then(() => void ids.set(name, turn.sessionId))) },
      );
    });
    await eventually(() => speaking.length === sessions.length, "every turn to start");
    await Promise.all(speaking);
    const [pid, ...others] = bench.acpProcesses(workspace);
    expect(others).toEqual([]);
    process.kill(pid ?? 0, "SIGKILL");
    return (await Promise.all(turns)).map(({ outcome, text }) => `${text} ${endOf(outcome)}`);
  };
  const all = [...(await killed()), ...(await killed())];
  const next = await Promise.all(
    [...ids.values()].map((sessionId): Promise<PlayedTurn> => playTurn(opened.engine, { prompt: "Go", sessionId })),
  );
  expect(all).toEqual(Array.from({ length: 10 }, () => "Half. killed"));
  expect(next.map(({ text, outcome }) => `${text} ${endOf(outcome)}`)).toEqual(sessions.map(() => "Whole. completed"));
  await bench.close();
  expect(bench.processes()).toEqual([]);
});

test("an agent that ignores its cancellation is killed with its process and the other turns of that process", async () => {
  const frozen = { when: "Freeze", steps: [{ text: "Half." }, { raw: "" }, { crash: "SIGSTOP" }] };
  const other = { when: "Hang", steps: [{ text: "Half." }, { hang: true }] };
  const workspace = bench.workspace(bench.simulator({ turns: [frozen, other, [{ text: "Whole." }]] } as never));
  const { engine } = opened;
  const beside = await engine.startTurn({ prompt: "Hang", workspace });
  await spoken(beside);
  const first = await playTurn(
    engine,
    { prompt: "Freeze", workspace },
    {
      async meanwhile(turn) {
        await spoken(turn);
        turn.cancel("Enough");
      },
    },
  );
  const second = await playTurn(engine, { prompt: "Go", sessionId: first.turn.sessionId });
  expect([first.outcome.kind, await beside.outcome, second.text]).toEqual([
    "cancelled",
    {
      kind: "failed",
      error: expect.objectContaining({
        code: "killed",
        message: "The agent's process was ended: it went on with a turn that was stopped",
      }),
    },
    "Whole.",
  ]);
  expect(bench.acpProcesses(workspace)).toHaveLength(1);
});

test("a process that has no turn for a while is ended, and the next turn starts another", async () => {
  await opened.close();
  opened = await bench.open({ settings: { lane: "acp", warm: { idleMs: 50 } }, keepWarm: true });
  const workspace = bench.workspace();
  const first = await playTurn(opened.engine, { prompt: "My name is Ada.", workspace });
  await eventually(() => bench.acpProcesses(workspace).length === 0, "the process to leave");
  const second = await playTurn(opened.engine, { prompt: "What is my name?", sessionId: first.turn.sessionId });
  expect([second.text, second.summary.notices]).toEqual([expect.stringContaining("Ada"), []]);
});

test("no more processes wait than warm.max says, and those that were used last are kept", async () => {
  const workspaces = Array.from({ length: 3 }, () => bench.workspace());
  const waiting = (): readonly number[] => workspaces.map((workspace) => bench.acpProcesses(workspace).length);
  for (const workspace of workspaces) await playTurn(opened.engine, { prompt: "Hello", workspace });
  await eventually(() => waiting().join() === "0,1,1", "the one that was used first to leave");
});

test("a program that is no ACP agent fails the turn with what it said, and leaves nothing", async () => {
  const workspace = bench.workspace('echo "unknown command acp" >&2; exit 64');
  const { outcome } = await playTurn(opened.engine, { prompt: "Go", workspace });
  expect(outcome).toEqual({
    kind: "failed",
    error: expect.objectContaining({ code: "upstream-error", upstream: "unknown command acp" }),
  });
  expect(bench.processes(workspace)).toEqual([]);
});
