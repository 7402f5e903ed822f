import { type EventEnvelope, emptyTranscript, foldTranscript } from "@caret/protocol";
import { expect, it } from "vitest";
import { planReplay } from "./replay-plan.ts";
import { replayBeginning, viewAt } from "./use-replay.ts";

const events: readonly EventEnvelope[] = [
  { type: "text-start", blockId: "b" } as const,
  { type: "text-delta", blockId: "b", text: "one " } as const,
  { type: "text-delta", blockId: "b", text: "two " } as const,
  { type: "text-end", blockId: "b" } as const,
].map((event, index) => ({ sessionId: "s", seq: index + 1, turnId: "t", at: index * 100, event }));
const plan = planReplay(events);
const folded = (count: number) => foldTranscript(emptyTranscript, events.slice(0, count));

it("shows at each moment what the session was then, forwards and backwards", () => {
  const positions = [0, 100, 350, 120, 0, 9000];
  let view = replayBeginning;
  for (const position of positions) {
    view = viewAt(plan, position, view);
    expect(view).toEqual({ count: view.count, transcript: folded(view.count) });
  }
  expect(view.count).toBe(4);
});

it("stays the same while nothing happens, so that nothing is re-rendered", () => {
  const view = viewAt(plan, 150, replayBeginning);
  expect(viewAt(plan, 199, view)).toBe(view);
});
