import { type EventEnvelope, emptyTranscript, foldTranscript } from "@caret/protocol";
import { expect, it } from "vitest";
import { chooseGlyphs } from "../terminal/glyphs.ts";
import { createTerminalStyle } from "../terminal/look.ts";
import { TranscriptView } from "./transcript-view.ts";

const look = { style: createTerminalStyle(false), glyphs: chooseGlyphs(true) };

function envelopes(...events: readonly EventEnvelope["event"][]): readonly EventEnvelope[] {
  return events.map((event, index) => ({ sessionId: "s", seq: index + 1, turnId: "t", at: index, event }));
}

const begun = envelopes(
  { type: "turn-start", turnId: "t", lane: "sim", workspace: "/w", prompt: "Say hello" },
  { type: "text-start", blockId: "b" },
  { type: "text-delta", blockId: "b", text: "Hello" },
);
const whole = [
  ...begun,
  ...envelopes(
    ...begun.map(({ event }) => event),
    { type: "text-delta", blockId: "b", text: " there" },
    { type: "text-end", blockId: "b" },
    { type: "turn-end", outcome: { kind: "completed" } },
  ).slice(begun.length),
];

it("shows a turn as it grows, and what the chat itself says at the place where it was said", () => {
  let transcript = foldTranscript(emptyTranscript, begun);
  const view = new TranscriptView(look, () => ({ transcript, workspace: "/w", head: [] }));
  view.note(["A note."]);
  const before = view.render(40);
  transcript = foldTranscript(transcript, whole);
  const head = ["", "> Say hello", "· sim lane (simulated)", ""];
  expect([before, view.render(40)]).toEqual([
    [...head, "Hello", "", "A note."],
    [...head, "Hello there", "", "A note.", "", "✓ completed in 5ms"],
  ]);
});

it("breaks the lines again when the terminal becomes narrower", () => {
  const transcript = foldTranscript(emptyTranscript, whole);
  const view = new TranscriptView(look, () => ({ transcript, workspace: "/w", head: ["what was before"] }));
  view.render(40);
  expect(view.render(10).slice(0, 8)).toEqual([
    "what was",
    "before",
    "",
    "> Say",
    "  hello",
    "· sim lane",
    "(simulated",
    ")",
  ]);
});
