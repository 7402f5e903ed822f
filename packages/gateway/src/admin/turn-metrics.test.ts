import type { TurnShare } from "@caret/protocol";
import { expect, it } from "vitest";
import type { DoorRequest } from "../chat/door-request.ts";
import { createMetrics } from "./metrics.ts";
import { createTurnMetrics } from "./turn-metrics.ts";

const request = { door: "anthropic" } as DoorRequest;
const caller = { tokenName: "t", workspace: undefined };

it("counts requests by door and relation, and hands on the very turn that was opened", async () => {
  const metrics = createMetrics();
  const turn = { relation: "joined" } as TurnShare;
  const conversations = createTurnMetrics(metrics).countOpened({ open: async () => turn });
  expect(await conversations.open(request, caller)).toBe(turn);
  expect(samples(metrics.render())).toEqual(['caret_turns_total{door="anthropic",relation="joined"} 1']);
});

it("counts each end by its outcome, and the tokens that upstream reported", () => {
  const metrics = createMetrics();
  const { countEnd } = createTurnMetrics(metrics);
  countEnd({ outcome: { kind: "completed" }, usage: { input: 3, output: 4, cost: 1 } });
  countEnd({ outcome: { kind: "cancelled" }, usage: undefined });
  expect(samples(metrics.render())).toEqual([
    'caret_turn_ends_total{outcome="completed"} 1',
    'caret_turn_ends_total{outcome="cancelled"} 1',
    'caret_tokens_total{kind="input"} 3',
    'caret_tokens_total{kind="output"} 4',
  ]);
});

function samples(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}
