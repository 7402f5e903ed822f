import { expect, it } from "vitest";
import { markHidden } from "./mark-hidden.ts";

it("writes out what a reader could not see, and leaves all else as it is [defect 5]", () => {
  expect({
    direction: markHidden("rm \u202e txt.exe"),
    control: markHidden("a\x1b[2Kb\rc"),
    zeroWidth: markHidden("pay\u200bpal \u{e0041}"),
    plain: markHidden("naïve\t日本語 😀\nline"),
  }).toEqual({
    direction: "rm <U+202E> txt.exe",
    control: "a<U+001B>[2Kb<U+000D>c",
    zeroWidth: "pay<U+200B>pal <U+E0041>",
    plain: "naïve\t日本語 😀\nline",
  });
});
