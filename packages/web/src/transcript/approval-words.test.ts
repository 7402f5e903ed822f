import { describe, expect, it } from "vitest";
import { subjectWords } from "./approval-words.ts";

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
