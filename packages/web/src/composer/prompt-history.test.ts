import type { TranscriptTurn } from "@caret/protocol";
import { expect, it } from "vitest";
import { formerPrompts, stepThrough } from "./prompt-history.ts";

const turn = (prompt: string): TranscriptTurn => ({
  turnId: prompt,
  firstSeq: 1,
  lastSeq: 1,
  startedAt: 0,
  lastAt: 0,
  items: [],
  start: { type: "turn-start", turnId: prompt, lane: "sim", prompt },
});

it("has what was asked, the newest first, and once where it was asked again", () => {
  expect(formerPrompts(["one", "two", "two", "one"].map(turn))).toEqual(["one", "two", "one"]);
});

it("leads from an empty prompt to older ones and back", () => {
  const prompts = ["new", "old"];
  const keys = ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"];
  let at = { browsing: { at: -1, draft: "" }, text: "" };
  const seen = keys.map((key) => {
    at = stepThrough(prompts, at.text, at.browsing, key) ?? at;
    return at.text;
  });
  expect(seen).toEqual(["new", "old", "old", "new", "", ""]);
});

it("leaves a prompt alone that is being written, also one that began as a former one", () => {
  expect([
    stepThrough(["old"], "half a thought", { at: -1, draft: "" }, "ArrowUp"),
    stepThrough(["old"], "old, changed", { at: 0, draft: "" }, "ArrowUp"),
    stepThrough(["old"], "", { at: -1, draft: "" }, "ArrowDown"),
  ]).toEqual([undefined, undefined, undefined]);
});
