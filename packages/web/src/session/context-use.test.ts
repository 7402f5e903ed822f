import type { TranscriptTurn } from "@caret/protocol";
import { expect, it } from "vitest";
import { contextUse } from "./context-use.ts";

const ended: TranscriptTurn = {
  turnId: "t",
  firstSeq: 1,
  lastSeq: 2,
  startedAt: 0,
  lastAt: 1,
  start: { type: "turn-start", turnId: "t", lane: "sim", model: "big-high" },
  items: [],
  usage: { input: 100, cacheRead: 800, output: 50 },
  outcome: { kind: "completed" },
};
const call: TranscriptTurn["items"][number] = {
  kind: "tool",
  seq: 2,
  startedAt: 0,
  tool: { callId: "c", name: "read", kind: "read", owner: "agent", input: {}, status: "ok", output: "" },
};
const models = [
  { id: "big", name: "Big", isDefault: true, variants: [{ id: "big-high", label: "High" }], contextTokens: 2_000 },
];

it("is what upstream says of its context, with the size it names", () => {
  expect(contextUse([{ ...ended, context: { used: 40_000, size: 200_000 } }], models)).toEqual({
    used: 40_000,
    size: 200_000,
  });
});

it("is what went in and came out of a turn that asked the model once, of the window of its model", () => {
  expect([contextUse([ended], models), contextUse([ended], undefined)]).toEqual([
    { used: 950, size: 2_000 },
    { used: 950 },
  ]);
});

it("is unknown where a turn with calls reports a sum, where nothing was reported, and before the first end", () => {
  const { usage, ...unreported } = ended;
  const { outcome, ...running } = ended;
  expect([
    contextUse([{ ...ended, items: [call] }], models),
    contextUse([unreported], models),
    contextUse([running], models),
    contextUse([], models),
  ]).toEqual([undefined, undefined, undefined, undefined]);
});

it("keeps what the last ended turn said while the next one runs", () => {
  const { outcome, ...running } = ended;
  expect(contextUse([ended, { ...running, items: [call] }], models)).toEqual({ used: 950, size: 2_000 });
});
