import { describe, expect, it } from "vitest";
import { fileQueryAt, insertFile } from "./use-file-popover.ts";

describe("fileQueryAt", () => {
  it("finds what is typed behind an @ that begins a word", () => {
    expect(fileQueryAt("look at @src/a", 14)).toEqual({ query: "src/a", start: 8, end: 14 });
    expect(fileQueryAt("@", 1)).toEqual({ query: "", start: 0, end: 1 });
    expect(fileQueryAt("(@x", 3)?.query).toBe("x");
  });

  it("looks only up to the caret", () => {
    expect(fileQueryAt("@src/app.ts and more", 4)).toEqual({ query: "src", start: 0, end: 4 });
    expect(fileQueryAt("@src and more", 8)).toBe(undefined);
  });

  it("takes no address for a file", () => {
    expect(fileQueryAt("me@example.org", 14)).toBe(undefined);
  });
});

describe("insertFile", () => {
  it("puts the path in place of what was typed, with one space behind it", () => {
    const query = { query: "sr", start: 5, end: 8 };
    expect(insertFile("look @sr", query, "src/a.ts")).toEqual({ text: "look @src/a.ts ", caret: 15 });
    expect(insertFile("look @sr now", query, "src/a.ts")).toEqual({ text: "look @src/a.ts now", caret: 15 });
  });
});
