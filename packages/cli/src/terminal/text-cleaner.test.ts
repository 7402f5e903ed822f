import { describe, expect, it } from "vitest";
import { cleanLine, cleanText, createTextCleaner } from "./text-cleaner.ts";

describe("cleanText", () => {
  it.each([
    ["keeps ordinary text, tabs and emoji", "naïve\t日本 👩‍👩‍👧 ok\n", "naïve\t日本 👩‍👩‍👧 ok\n"],
    ["takes out colours", "a\x1b[1;31mred\x1b[0m b", "ared b"],
    ["takes out a window title", "a\x1b]0;owned\x07b", "ab"],
    ["takes out a link that ends with a string terminator", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"],
    ["takes out the one-byte spellings of sequences", "a\u009b2Jb\u009d0;t\u009cc", "abc"],
    ["takes out bells, backspaces and deletes", "a\x07b\x08c\x7fd\0e", "abcde"],
    ["turns every line end into one", "a\r\nb\rc\u2028d", "a\nb\nc\nd"],
    ["shows what would turn the direction of reading", "if (a\u202e) {", "if (a<U+202E>) {"],
    ["shows direction marks too", "x\u200fy\u2066z", "x<U+200F>y<U+2066>z"],
    ["does not lose the text after a title that is never closed", "a\x1b]0;oops\nnext", "a\nnext"],
    ["takes out a choice of character set", "a\x1b(0b", "ab"],
    ["replaces half a character", "a\ud83d", "a\ufffd"],
  ])("%s", (_, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it("gives the same however the text is cut", () => {
    const text = "a\x1b[31mb\x1b]0;t\x1b\\c\r\nd😀\u202ee\x1b(Bf";
    for (let cut = 0; cut <= text.length; cut++) {
      const cleaner = createTextCleaner();
      const pieces = [cleaner.push(text.slice(0, cut)), cleaner.push(text.slice(cut)), cleaner.end()];
      expect(pieces.join("")).toBe("abc\nd😀<U+202E>ef");
    }
  });
});

describe("cleanLine", () => {
  it("makes one line of many", () => {
    expect(cleanLine("  cd a \\\n\t&& ls\x1b[0m  ")).toBe("cd a \\ && ls");
  });
});
