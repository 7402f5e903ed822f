import { expect, it } from "vitest";
import { proposedMessage, toReviewPrompt } from "./review-comments.ts";

it("puts each comment under its place and its line", () => {
  const place = { path: "src/a.ts", line: 7, isRemoved: false, code: "  let x = 1;" };
  expect(
    toReviewPrompt([
      { ...place, text: "Use const.\n" },
      { ...place, line: 3, isRemoved: true, code: "gone();", text: "Why?" },
    ]),
  ).toBe(
    "Comments on your changes:\n\nsrc/a.ts:7\n> let x = 1;\nUse const.\n\nsrc/a.ts:3 (a line that was removed)\n> gone();\nWhy?",
  );
});

it("proposes a message of the session's title, with the files when there are several", () => {
  expect(proposedMessage("Fix  the parser", ["a.ts"])).toBe("Fix the parser");
  expect(proposedMessage("", ["a.ts", "b.ts"])).toBe("Changes by an agent\n\n- a.ts\n- b.ts");
  expect(proposedMessage("x".repeat(100), []).length).toBe(72);
});
