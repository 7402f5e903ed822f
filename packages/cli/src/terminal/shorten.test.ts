import { describe, expect, it } from "vitest";
import { displayWidth, shortenEnd, shortenMiddle } from "./shorten.ts";

describe("displayWidth", () => {
  it.each([
    ["abc", 3],
    ["naïve", 5],
    ["nai\u0308ve", 5],
    ["日本語", 6],
    ["한글", 4],
    ["👩‍👩‍👧", 2],
    ["✔️", 2],
    ["✓ ✗ ⊘ −", 7],
    ["a\u200bb", 2],
  ])("counts the columns of %s", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe("shortenMiddle", () => {
  it("leaves what fits as it is", () => {
    expect(shortenMiddle("src/index.ts", 12)).toBe("src/index.ts");
  });

  it("keeps both ends of what does not fit", () => {
    expect(shortenMiddle("packages/cli/src/terminal/shorten.ts", 20)).toBe("packages/c…horten.ts");
  });

  it("never grows past the width, wide characters or not", () => {
    for (const text of ["日本語の長いパス名です", "aé👩‍👩‍👧日".repeat(9), "x".repeat(1000)])
      for (let width = 0; width < 30; width++)
        expect(displayWidth(shortenMiddle(text, width))).toBeLessThanOrEqual(width);
  });
});

describe("shortenEnd", () => {
  it("keeps the beginning", () => {
    expect(shortenEnd("the first words count", 10)).toBe("the first…");
  });
});
