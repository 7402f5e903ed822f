import { expect, it } from "vitest";
import { askedWords } from "./approval-words.ts";

it("calls permissions and tools as the page does", () => {
  expect([
    askedWords("`auto-edits` asks about exec"),
    askedWords("`supervised` asks about changes of files"),
    askedWords("a rule asks about `npm publish`"),
  ]).toEqual([
    "Auto-accept edits asks about commands",
    "Supervised asks about changes of files",
    "a rule asks about `npm publish`",
  ]);
});
