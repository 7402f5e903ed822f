import { splitHunks } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { parseHunk, withoutHunk } from "./hunks.ts";

const without = (text: string, hunk: string): string | undefined => {
  const parsed = parseHunk(hunk);
  return parsed === undefined ? undefined : withoutHunk(text, parsed);
};

describe("a hunk", () => {
  it("is taken out where it stands, and nowhere else", () => {
    const hunk = "@@ -2,3 +2,3 @@ head\n b\n-c\n+C\n d\n";
    expect(without("a\nb\nC\nd\ne\n", hunk)).toBe("a\nb\nc\nd\ne\n");
    expect(without("a\na\nb\nC\nd\ne\n", hunk)).toBeUndefined();
    expect(without("a\nb\nX\nd\ne\n", hunk)).toBeUndefined();
  });

  it("of removed lines puts them back between their neighbours, at the start and at the end", () => {
    expect(without("a\nd\n", "@@ -2,2 +1,0 @@\n-b\n-c\n")).toBe("a\nb\nc\nd\n");
    expect(without("b\n", "@@ -1 +0,0 @@\n-a\n")).toBe("a\nb\n");
    expect(without("a\n", "@@ -2 +1,0 @@\n-b\n")).toBe("a\nb\n");
  });

  it("knows which last line has no end", () => {
    const gained = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
    expect(without("a\n", gained)).toBe("a");
    const lost = "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n";
    expect(without("a", lost)).toBe("a\n");
    expect(without("ab", lost)).toBeUndefined();
  });

  it("is found among others by its first line alone, whatever the lines of files look like", () => {
    const first = "@@ -1 +1 @@\n-@@ -1 +1 @@\n+--- a\n";
    const second = "@@ -9 +9 @@\n-x\r@@ y\n+y\n";
    expect(splitHunks(`--- a/f\n+++ b/f\n${first}${second}`)).toEqual([first, second]);
    expect(parseHunk("--- a/f\n")).toBeUndefined();
  });
});
