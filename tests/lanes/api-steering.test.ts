import { afterEach, beforeEach, expect, test } from "vitest";
import { playTurn } from "../turns/play-turn.ts";
import { TurnBench } from "../turns/turn-bench.ts";
import { type ApiStage, openApiStage } from "./api-bench.ts";

let bench: TurnBench;
let stage: ApiStage;
beforeEach(async () => {
  bench = new TurnBench();
  stage = await openApiStage(bench, {
    scenario: { turns: [[{ text: "Working." }, { delay: 1_500 }, { text: " Done." }]] },
  });
});
afterEach(async () => {
  await stage.close();
  await bench.remove();
});

test("What a person says while a turn of the api lane works is logged, and logged again when the agent has it", async () => {
  const { events, turn } = await playTurn(
    stage.opened.engine,
    { prompt: "Go on", workspace: bench.workspace() },
    {
      async meanwhile(running) {
        for await (const batch of running.follow())
          if (batch.some(({ event }) => event.type === "text-delta")) return await running.steer("Look left");
      },
    },
  );
  expect(events.filter((event) => event.type === "notice")).toEqual([
    { type: "notice", kind: "steer", message: "Look left" },
    { type: "notice", kind: "steer", message: "Look left", detail: { isHeard: true } },
  ]);
  expect(turn.unsentSteering()).toEqual([]);
  await expect(turn.steer("Too late")).rejects.toMatchObject({ code: "not-found" });
});
