import fc from "fast-check";
import { expect, it } from "vitest";
import { chooseGlyphs } from "./glyphs.ts";
import { displayWidth } from "./shorten.ts";
import { wrapHard } from "./wrap-hard.ts";

const glyphs = chooseGlyphs(true);
const MARK = "  … ";

const texts = fc
  .array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom(" ".repeat(30), "日本", "\t", "e\u0301")))
  .map((parts) => parts.join("").replaceAll(/[\p{Cc}\n]/gu, "x"));

it("keeps every character of a line, in rows that the terminal does not break again", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 12, max: 90 }), (text, columns) => {
      const [first = "", ...others] = wrapHard(text, { columns, glyphs });
      expect(first + others.map((row) => row.slice(MARK.length)).join("")).toBe(text.replaceAll("\t", "    "));
      expect(others.every((row) => row.startsWith(MARK))).toBe(true);
      expect([first, ...others].every((row) => displayWidth(row) < columns)).toBe(true);
    }),
  );
});

it("breaks ten times the text in about ten times the time", () => {
  const timeOf = (length: number): number => {
    const text = "ä".repeat(length);
    const began = performance.now();
    expect(wrapHard(text, { columns: 80, glyphs }).length).toBeGreaterThan(length / 80);
    return performance.now() - began;
  };
  timeOf(20_000);
  const [one, ten] = [timeOf(20_000), timeOf(200_000)];
  expect(ten / one).toBeLessThan(40);
});
