import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGlobPattern } from "./glob-pattern.ts";

describe("a pattern of a rule", () => {
  it.each<[pattern: string, text: string, matches: boolean]>([
    ["git", "git", true],
    ["git", "gitk", false],
    ["web_*", "web_fetch", true],
    ["*", "a/b", false],
    ["**", "a/b", true],
    ["src/*", "src/a.ts", true],
    ["src/*", "src/a/b.ts", false],
    ["src/**", "src/a/b.ts", true],
    ["**/.env*", ".env.local", true],
    ["**/.env*", "a/b/.env", true],
    ["**/.env*", "a/x.env", false],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["a/**/b", "a/xb", false],
    ["a**b", "a/x/b", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["a.c", "abc", false],
    ["", "", true],
    ["*", "", true],
    ["?", "", false],
    ["/w/**/.env", "/w/a/.env", true],
  ])("%j and %j: %j", (pattern, text, matches) => {
    expect(createGlobPattern(pattern).matches(text)).toBe(matches);
  });

  it("means what the regular expression of the same pattern means", () => {
    const piece = fc.constantFrom("a", "b", "/", "*", "**", "**/", "?", ".");
    const letter = fc.constantFrom("a", "b", "/", ".");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.array(letter, { maxLength: 7 }), (pieces, letters) => {
        const [pattern, text] = [pieces.join(""), letters.join("")];
        expect({ pattern, text, matches: createGlobPattern(pattern).matches(text) }).toEqual({
          pattern,
          text,
          matches: toExpression(pattern).test(text),
        });
      }),
      { numRuns: 3_000 },
    );
  });

  it("is matched in a moment, however many stars it has and however long the text is", () => {
    const started = performance.now();
    expect(createGlobPattern(`${"*a".repeat(30)}b`).matches("a".repeat(20_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

function toExpression(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*\/|\*+|\?)/).map((part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "?") return "[^/]";
    if (/^\*+$/.test(part)) return part === "*" ? "[^/]*" : ".*";
    return part.replaceAll(".", "\\.");
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}
