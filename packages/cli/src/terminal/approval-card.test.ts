import type { AgentEventOf } from "@caret/protocol";
import { expect, it } from "vitest";
import { approvalCard } from "./approval-card.ts";
import { chooseGlyphs } from "./glyphs.ts";
import { createTerminalStyle } from "./look.ts";

const cardAt = (columns: number | undefined, request: Partial<AgentEventOf<"approval-request">>) =>
  approvalCard(
    { type: "approval-request", requestId: "r", subject: "exec", input: {}, ...request },
    { style: createTerminalStyle(false), glyphs: chooseGlyphs(false), columns },
    "session",
  ).body;
const card = (request: Partial<AgentEventOf<"approval-request">>) => cardAt(undefined, request);

it("says each thing once, and whose words they are; a path stands above its change", () => {
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
    ["? The agent wants to use exec", `  Dangerous: ${danger}`, "  $ rm -r build", "  The agent says: Clean"],
    [
      "? The agent wants to use edit",
      "  Change of a.js",
      "  @@ -1,1 +1,1 @@",
      "  -x",
      "  +y",
      "  Why it is asked: `supervised` asks about changes of files",
    ],
    [
      "? The agent wants to use tickets/open",
      "  Arguments:",
      "  > {",
      '  >   "path": "p",',
      '  >   "description": "d"',
      "  > }",
    ],
  ]);
});

it("breaks a line where the terminal ends, with every space of it and a mark before what follows", () => {
  const command = `echo ${"a ".repeat(8)}          # no\n  $ ls`;
  expect(cardAt(20, { input: { command } })).toEqual([
    "? The agent wants to use exec",
    "  $ echo a a a a a ",
    "  ... a a a        ",
    "  ...    # no",
    "  >   $ ls",
  ]);
});
