import type { AgentEventOf } from "@caret/protocol";
import { expect, it } from "vitest";
import { approvalCard } from "./approval-card.ts";
import { chooseGlyphs } from "./glyphs.ts";
import { createTerminalStyle } from "./look.ts";

const card = (request: Partial<AgentEventOf<"approval-request">>) =>
  approvalCard(
    { type: "approval-request", requestId: "r", subject: "exec", input: {}, ...request },
    { style: createTerminalStyle(false), glyphs: chooseGlyphs(false) },
    "session",
  ).slice(0, -1);

it("says each thing once: the command, the agent's words, the danger; a path stands in the diff", () => {
  const danger = "`rm` deletes or destroys data";
  expect([
    card({ input: { command: "rm -r build", description: "Clean" }, reason: danger, danger }),
    card({
      subject: "edit",
      input: { path: "a.js", old_string: "x", new_string: "y" },
      reason: "`supervised` asks about changes of files",
      diff: { path: "a.js", unified: "@@ -1,1 +1,1 @@\n-x\n+y\n" },
    }),
    card({ subject: "open", server: "tickets", input: { path: "p", description: "d" } }),
  ]).toEqual([
    ["? The agent wants to use exec", "  $ rm -r build", "  Clean", `  Dangerous: ${danger}`],
    [
      "? The agent wants to use edit",
      "  a.js",
      "  @@ -1,1 +1,1 @@",
      "  -x",
      "  +y",
      "  `supervised` asks about changes of files",
    ],
    ["? The agent wants to use tickets/open", "  {", '    "description": "d",', '    "path": "p"', "  }"],
  ]);
});
