import { describe, expect, it } from "vitest";
import { insertMention, mentionAt } from "./mention-query.ts";

describe("mentionAt", () => {
  it("finds what is typed behind an @ that begins a word", () => {
    expect(mentionAt("look at @src/a", 14)).toEqual({ query: "src/a", start: 8, end: 14 });
    expect(mentionAt("@", 1)).toEqual({ query: "", start: 0, end: 1 });
    expect(mentionAt("(@x", 3)?.query).toBe("x");
  });

  it("looks only up to the caret", () => {
    expect(mentionAt("@src/app.ts and more", 4)).toEqual({ query: "src", start: 0, end: 4 });
    expect(mentionAt("@src and more", 8)).toBe(undefined);
  });

  it("takes no address for a file", () => {
    expect(mentionAt("me@example.org", 14)).toBe(undefined);
  });
});

describe("insertMention", () => {
  it("puts the path in place of what was typed, with one space behind it", () => {
    const query = { query: "sr", start: 5, end: 8 };
    expect(insertMention("look @sr", query, "src/a.ts")).toEqual({ text: "look @src/a.ts ", caret: 15 });
    expect(insertMention("look @sr now", query, "src/a.ts")).toEqual({ text: "look @src/a.ts now", caret: 15 });
  });
});
