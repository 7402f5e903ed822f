import { expect, it } from "vitest";
import { foldLastLine, noLine } from "./session-progress.ts";

it("shows the first line of a plan as what was said last", () => {
  const asked = foldLastLine(noLine, { type: "turn-start", turnId: "t", lane: "cli", prompt: "Plan it" });
  expect(foldLastLine(asked, { type: "plan", text: "# Ship it\n\n1. Build" })).toEqual({
    text: "# Ship it",
    state: "closed",
  });
});
