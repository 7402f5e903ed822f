import { afterAll, beforeAll, expect, it } from "vitest";
import { playTurn } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

let bench: TurnBench;
beforeAll(() => {
  bench = new TurnBench();
});
afterAll(() => bench.remove());

it.each([
  ["in every line that can carry it", []],
  ["on the completed line only", ["plan-in-completion" as const]],
  ["in the query only", ["plan-in-query" as const]],
  ["beside answers that decide nothing", ["answers-without-arm" as const]],
])("a turn in plan mode shows its plan once when the CLI sends it %s", async (_where, quirks) => {
  const { engine } = await bench.open();
  const workspace = bench.workspace(bench.simulator({ quirks }));
  const { events, summary } = await playTurn(engine, { prompt: "Add a login page", workspace, mode: "plan" });
  expect({
    plans: events.flatMap((event) =>
      event.type === "plan" ? [/login page/i.exec(event.text)?.[0].toLowerCase()] : [],
    ),
    answers: events.flatMap((event) => (event.type === "approval-answer" ? [event.decision] : [])),
    outcome: summary.outcome,
  }).toEqual({
    plans: ["login page"],
    answers: ["approved"],
    outcome: { kind: "completed" },
  });
});
