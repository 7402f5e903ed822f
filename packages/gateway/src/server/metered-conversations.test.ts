import type { AgentEvent } from "@caret/protocol";
import { expect, it } from "vitest";
import type { DoorTurn } from "../chat/conversations.ts";
import type { DoorRequest } from "../chat/door-request.ts";
import { meterDesk } from "./metered-conversations.ts";
import { createMetrics } from "./metrics.ts";

const request = { door: "anthropic" } as DoorRequest;
const caller = { tokenName: "t", workspace: undefined };
const events: AgentEvent[] = [
  { type: "usage", usage: { input: 3, output: 4 } },
  { type: "turn-end", outcome: { kind: "completed" } },
];

function turn(relation: DoorTurn["relation"]): DoorTurn {
  return {
    turnId: "t1",
    sessionId: "s1",
    model: "auto",
    relation,
    startsTurn: true,
    outcome: Promise.resolve({ kind: "completed" }),
    async *follow() {
      yield events;
    },
    stop: () => undefined,
    leave: () => undefined,
  };
}

it("counts turns, ends and tokens, and a joined turn's only once", async () => {
  const metrics = createMetrics();
  const relations: DoorTurn["relation"][] = ["new", "joined"];
  const desk = meterDesk({ open: async () => turn(relations.shift() ?? "new") }, metrics);
  const seen: unknown[] = [];
  for (const _ of [1, 2]) {
    const opened = await desk.open(request, caller);
    for await (const batch of opened.follow(new AbortController().signal)) seen.push(batch);
  }
  const lines = metrics.render().split("\n");
  expect([seen, lines.filter((line) => line !== "" && !line.startsWith("#"))]).toEqual([
    [events, events],
    [
      'caret_turns_total{door="anthropic",relation="new"} 1',
      'caret_turns_total{door="anthropic",relation="joined"} 1',
      'caret_turn_ends_total{outcome="completed"} 1',
      'caret_tokens_total{kind="input"} 3',
      'caret_tokens_total{kind="output"} 4',
    ],
  ]);
});

it("passes everything else of a turn through", async () => {
  const inner = turn("new");
  const outer = await meterDesk({ open: async () => inner }, createMetrics()).open(request, caller);
  expect({ ...outer, follow: 0, stop: 0, leave: 0 }).toEqual({ ...inner, follow: 0, stop: 0, leave: 0 });
});
