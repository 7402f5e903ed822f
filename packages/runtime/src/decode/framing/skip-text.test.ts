import { describe, expect, it } from "vitest";
import { createTextSkip } from "./skip-text.ts";

const HEAD = '{"type":"t","text":"';

/** The rest of a line, pushed in pieces of this many bytes. */
function skip(text: string, characters: number, pieceBytes: number, spell = (line: string) => line): string {
  const line = Buffer.from(spell(JSON.stringify({ type: "t", text, more: ['"', 1] })));
  const skipped = createTextSkip({ from: HEAD.length, characters });
  for (let start = 0; start < line.byteLength; start += pieceBytes)
    skipped.push(line.subarray(start, start + pieceBytes));
  const { more, text: left } = JSON.parse(skipped.take().toString("utf8"));
  expect(more).toEqual(['"', 1]);
  return left;
}

const pieces = [1, 2, 3, 7, 64, 1_000];
const tricky = 'say "hi" \\ and \\" grüße 🍏 漢字\n\u2028\u0001 end';
const asEscapes = (line: string): string =>
  line.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("the beginning of a long string", () => {
  it.each([
    ["as it is", (line: string) => line],
    ["in escapes", asEscapes],
  ])("is left out by JavaScript's count of characters, however it is cut: %s", (_name, spell) => {
    for (const size of pieces)
      for (let known = 0; known <= tricky.length; known += 1) {
        // Two halves of one character are left out together.
        const isHalf = /[\ud800-\udbff]$/.test(tricky.slice(0, known)) && spell !== asEscapes;
        expect(skip(tricky, known, size, spell).trimStart()).toBe(tricky.slice(isHalf ? known + 1 : known).trimStart());
      }
  });

  it("is left out of plain text as well, piece by piece", () => {
    const plain = "plain words ".repeat(100);
    for (const size of pieces) expect(skip(plain, 1_150, size)).toBe(plain.slice(1_150));
  });

  it("is all of it where it is shorter than what is known", () => {
    for (const size of pieces) expect(skip(tricky, 1_000, size)).toBe("");
  });

  it("keeps its length where what follows is longer, so that the whole is not taken for the beginning", () => {
    expect(skip("abcabc".repeat(20), 3, 5)).toBe(`   ${"abcabc".repeat(20).slice(3)}`);
  });
});
