import { type AgentEvent, type EventEnvelope, emptyTranscript, foldTranscript } from "@caret/protocol";
import { expect, it } from "vitest";
import { appendEvents, emptyLogWindow, hasOlder, isCutShort, prependEvents } from "./log-window.ts";

const turn = (turnId: string): readonly AgentEvent[] => [
  { type: "turn-start", turnId, lane: "sim" },
  { type: "text-start", blockId: turnId },
  { type: "text-delta", blockId: turnId, text: "a" },
  { type: "tool-call", callId: turnId, name: "shell", kind: "shell", input: {}, owner: "agent" },
  { type: "text-delta", blockId: turnId, text: "b" },
  { type: "text-end", blockId: turnId },
  { type: "tool-result", callId: turnId, status: "ok", output: "" },
  { type: "turn-end", outcome: { kind: "completed" } },
];
const log: readonly EventEnvelope[] = ["t1", "t2", "t3"]
  .flatMap((turnId) => turn(turnId).map((event) => ({ turnId, event })))
  .map(({ turnId, event }, index) => ({ sessionId: "s", seq: index + 1, turnId, at: index, event }));
const whole = foldTranscript(emptyTranscript, log);

it("becomes the whole log, wherever it began, however the older pages are cut, while new events come", () => {
  for (let begin = 1; begin < log.length; begin++)
    for (let page = 1; page < 6; page++) {
      const live = Math.min(begin + 4, log.length);
      let window = appendEvents(emptyLogWindow, log.slice(begin, live));
      for (let first = begin; first > 0; first -= page) {
        expect(hasOlder(window)).toBe(true);
        window = prependEvents(window, log.slice(Math.max(0, first - page), first));
        if (first === begin) window = appendEvents(window, log.slice(live));
      }
      expect(window).toEqual({ transcript: whole, head: [] });
      expect(hasOlder(window)).toBe(false);
    }
});

it("keeps the identity of turns that were whole when older events come before them", () => {
  const window = appendEvents(emptyLogWindow, log.slice(10));
  const longer = prependEvents(window, log.slice(0, 10));
  expect(longer.transcript.turns[2]).toBe(window.transcript.turns[1]);
});

it("is cut short as long as it holds little more than the end of an answer", () => {
  const from = (begin: number, end = log.length) => isCutShort(appendEvents(emptyLogWindow, log.slice(begin, end)));
  expect({
    insideTheAnswer: from(4, 6),
    withTheTurnsAfterIt: from(4),
    fromItsCall: from(3, 8),
    fromTheStartOfTheTurn: from(0, 8),
  }).toEqual({
    insideTheAnswer: true,
    withTheTurnsAfterIt: false,
    fromItsCall: false,
    fromTheStartOfTheTurn: false,
  });
});
