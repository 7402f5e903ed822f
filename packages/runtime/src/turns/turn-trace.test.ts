import { CaretError, type TurnOutcome } from "@caret/protocol";
import { expect, it } from "vitest";
import type { LaneEntry } from "../lanes/lane.ts";
import { createTracer, type FinishedSpan } from "../telemetry/create-tracer.ts";
import { createTurnTrace } from "./turn-trace.ts";

function setUp() {
  const taken: FinishedSpan[] = [];
  let made = 0;
  const tracer = createTracer({
    take: (span) => taken.push(span),
    sampleRatio: 1,
    random: () => 0,
    randomHex: (bytes) => String(++made).repeat(bytes * 2),
    wallClock: () => 0,
    monotonic: () => 0,
  });
  const about = { sessionId: "s", turnId: "t", lane: "cli", model: "auto" } as const;
  const trace = createTurnTrace({ tracer, parent: undefined, ...about });
  const ended = () =>
    taken.map(({ name, parentId, attributes, events, isFailed }) => ({
      name,
      parentId,
      attributes,
      events: events.map((event) => [event.name, event.attributes]),
      isFailed,
    }));
  return { trace, ended };
}

const ids = { "caret.session.id": "s", "caret.turn.id": "t", "caret.lane": "cli", "caret.model": "auto" };
const say = (text: string): LaneEntry => ({ event: { type: "text-delta", blockId: "b", text } });

it("has one span for the turn and one for each lane, the code of a failure and none of its words", async () => {
  const { trace, ended } = setUp();
  const batches: number[] = [];
  const take = trace.watchEntries((entries) => void batches.push(entries.length));
  trace.enterLane("cli");
  await take([{ event: { type: "notice", kind: "profile-rotation", message: "The profile secret failed" } }]);
  trace.enterLane("acp");
  await take([say("a secret"), say(" answer")]);
  await take([say(" goes on")]);
  const error = new CaretError("stalled", "The agent in /a/secret/path stalled").toInfo();
  trace.end({ kind: "failed", error });
  const failed = { "caret.outcome": "failed", "caret.error.code": "stalled" };
  expect([batches, ended()]).toEqual([
    [1, 2, 1],
    [
      {
        name: "lane attempt",
        parentId: "2".repeat(16),
        attributes: { "caret.lane": "cli" },
        events: [["notice", { "caret.notice": "profile-rotation" }]],
        isFailed: true,
      },
      {
        name: "lane attempt",
        parentId: "2".repeat(16),
        attributes: { "caret.lane": "acp", ...failed },
        events: [],
        isFailed: true,
      },
      {
        name: "turn",
        parentId: undefined,
        attributes: { ...ids, ...failed, "caret.log.appends": 0, "caret.log.append_ms": 0 },
        events: [["first token", {}]],
        isFailed: true,
      },
    ],
  ]);
});

it.each<TurnOutcome>([{ kind: "completed" }, { kind: "cancelled" }])(
  "counts the appends of a turn, those that failed too, and is no failure where it is $kind",
  async (outcome) => {
    const { trace, ended } = setUp();
    const failure = new CaretError("storage-failed", "The disk is full");
    const given: unknown[] = [];
    const store = trace.watchAppends({
      append: async (sessionId, seq) => {
        given.push([sessionId, seq]);
        if (seq === 2) throw failure;
        return [];
      },
    });
    await store.append("s", 1, []);
    await expect(store.append("s", 2, [])).rejects.toBe(failure);
    trace.end(outcome);
    const [{ attributes, isFailed } = { attributes: {}, isFailed: true }] = ended();
    expect([given, attributes, isFailed]).toEqual([
      [
        ["s", 1],
        ["s", 2],
      ],
      { ...ids, "caret.outcome": outcome.kind, "caret.log.appends": 2, "caret.log.append_ms": expect.any(Number) },
      false,
    ]);
  },
);
