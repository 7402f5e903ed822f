import { describe, expect, it } from "vitest";
import { askedWords, subjectWords } from "./approval-words.ts";

function words(subject: string, input: unknown = {}): string {
  return subjectWords({ type: "approval-request", requestId: "r", subject, input });
}

describe("subjectWords", () => {
  it("says what wants to happen in words for people", () => {
    expect([
      words("exec", { command: "rm -r build" }),
      words("edit", { path: "src/a.ts" }),
      words("write", {}),
      words("webFetch", { url: "https://example.org" }),
      words("web_search", { query: "node 24" }),
      words("rm", { path: "old" }),
      words("switchMode"),
      words("github_create_issue", { title: "x" }),
    ]).toEqual([
      "Run a command",
      "Change src/a.ts",
      "Write a file",
      "Fetch https://example.org",
      "Search the web for “node 24”",
      "Delete old",
      "Use switchMode",
      "Use github_create_issue",
    ]);
  });
});

describe("askedWords", () => {
  const asked = (reason: string, danger?: string) =>
    askedWords({
      type: "approval-request",
      requestId: "r",
      subject: "exec",
      input: {},
      reason,
      ...(danger !== undefined && { danger }),
    });

  it("calls permissions and tools as the page does, and says nothing twice", () => {
    expect([
      asked("`auto-edits` asks about exec"),
      asked("`supervised` asks about changes of files"),
      asked("a rule asks about `npm publish`"),
      asked("`rm` deletes or destroys data", "`rm` deletes or destroys data"),
    ]).toEqual([
      "Auto-accept edits asks about commands",
      "Supervised asks about changes of files",
      "a rule asks about `npm publish`",
      undefined,
    ]);
  });
});
