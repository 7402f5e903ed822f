import { describe, expect, it } from "vitest";
import { editDistance, escapeHtml, oneLine } from "./text.ts";

describe("one function for each", () => {
  it("counts letters, not UTF-16 units, between two names", () => {
    const pairs: readonly (readonly [string, string])[] = [
      ["", ""],
      ["", "abc"],
      ["sonet", "sonnet"],
      ["kitten", "sitting"],
      ["a😀", "a"],
    ];
    expect(pairs.map(([from, to]) => [from, to, editDistance(from, to), editDistance(to, from)])).toEqual([
      ["", "", 0, 0],
      ["", "abc", 3, 3],
      ["sonet", "sonnet", 1, 1],
      ["kitten", "sitting", 3, 3],
      ["a😀", "a", 1, 1],
    ]);
  });

  it("puts text on one line, and cuts it with an ellipsis where there is a limit", () => {
    expect([oneLine("  a\r\n\tb \u00a0c "), oneLine("a b c", 5), oneLine("a  b  c d", 5)]).toEqual([
      "a b c",
      "a b c",
      "a b …",
    ]);
  });

  it("escapes what HTML reads as markup, in content and in attributes", () => {
    expect(escapeHtml(`<a href='x' title="y">&amp;`)).toBe("&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;");
  });
});
