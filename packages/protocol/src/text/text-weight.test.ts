import { expect, it } from "vitest";
import { cutToWeight, tokensOf, weightOf, weightWithin } from "./text-weight.ts";

it("counts a token for every four ASCII characters begun", () => {
  expect(["", "a", "abcd", "abcde"].map((text) => tokensOf(weightOf(text)))).toEqual([0, 1, 1, 2]);
});

it.each([
  ["Han", "\u6f22"],
  ["an extension of Han", "\u3400"],
  ["Hiragana", "\u3042"],
  ["Katakana", "\u30ab"],
  ["half-width Katakana", "\uff76"],
  ["Hangul", "\ud55c"],
  ["full-width punctuation", "\u3002"],
])("counts a token for every character of %s", (_script, character) => {
  expect(tokensOf(weightOf(character.repeat(8_000)))).toBe(8_000);
});

it("counts half a token for a letter of other scripts, and two for an emoji", () => {
  const texts = ["\u00e9", "\u0416", "\u0639", "\u0939", "\u{1f642}", "\u{20000}"];
  expect(texts.map((text) => tokensOf(weightOf(text.repeat(100))))).toEqual([50, 50, 50, 50, 200, 200]);
});

it("cuts where the tokens are used up, never in the middle of a character", () => {
  const cut = (text: string, tokens: number) => cutToWeight(text, weightWithin(tokens));
  expect([
    cut("abcdefgh", 1),
    cut("\u6f22\u5b57\u6f22\u5b57", 3),
    cut("ab\u{1f642}c", 2),
    cut("ab\u{1f642}c", 3),
    cut("ab", 1),
    cut("ab", 0),
    cut("\u{1f642}", Number.POSITIVE_INFINITY),
  ]).toEqual(["abcd", "\u6f22\u5b57\u6f22", "ab", "ab\u{1f642}c", "ab", "", "\u{1f642}"]);
});
