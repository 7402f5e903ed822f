import { describe, expect, it } from "vitest";
import { fromUnified, toDiffRows } from "./diff-rows.ts";

describe("toDiffRows", () => {
  it("compares two texts, with line numbers and the part of a line that changed", () => {
    const before = "one\ntwo\nthree\nfour\nfive\nsix\n";
    const after = "one\ntwo\nthree\nfour of them\nfive\nsix\nseven\n";
    expect(toDiffRows({ path: "a.txt", before, after })).toEqual({
      rows: [
        { kind: "hunk", text: "", oldLine: 1, newLine: 1 },
        { kind: "context", text: "one", oldLine: 1, newLine: 1 },
        { kind: "context", text: "two", oldLine: 2, newLine: 2 },
        { kind: "context", text: "three", oldLine: 3, newLine: 3 },
        { kind: "remove", text: "four", oldLine: 4, emphasis: [4, 4] },
        { kind: "add", text: "four of them", newLine: 4, emphasis: [4, 12] },
        { kind: "context", text: "five", oldLine: 5, newLine: 5 },
        { kind: "context", text: "six", oldLine: 6, newLine: 6 },
        { kind: "add", text: "seven", newLine: 7 },
      ],
      additions: 2,
      deletions: 1,
    });
  });

  it("prefers the two texts over what the agent said of the change", () => {
    const diff = { path: "a", before: "x\n", after: "x\ny\n", unified: "@@ -1 +1 @@\n-wrong\n+told" };
    expect(toDiffRows(diff)).toMatchObject({ additions: 1, deletions: 0 });
  });

  it("shows a new file as added and a deleted one as removed", () => {
    expect(toDiffRows({ path: "a", after: "x\ny\n" })).toEqual({
      rows: [
        { kind: "add", text: "x", newLine: 1 },
        { kind: "add", text: "y", newLine: 2 },
      ],
      additions: 2,
      deletions: 0,
    });
    expect(toDiffRows({ path: "a", before: "x" })).toEqual({
      rows: [{ kind: "remove", text: "x", oldLine: 1 }],
      additions: 0,
      deletions: 1,
    });
  });

  it("has no rows for a change nothing is known of", () => {
    expect(toDiffRows({ path: "a" })).toEqual({ rows: [], additions: 0, deletions: 0 });
  });

  it("gives the same rows again for the same change", () => {
    const diff = { path: "a", before: "x", after: "y" };
    expect(toDiffRows(diff)).toBe(toDiffRows(diff));
  });

  it("does not hang over two large texts that have nothing in common", () => {
    const text = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join("\n");
    const started = performance.now();
    expect(toDiffRows({ path: "a", before: text("old"), after: text("new") })).toMatchObject({
      additions: 20_000,
      deletions: 20_000,
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("fromUnified", () => {
  it("reads git's words, several hunks and the mark of a missing line end", () => {
    const unified = [
      "diff --git a/a.ts b/a.ts",
      "index 123..456 100644",
      "--- a/a.ts",
      "+++ b/a.ts",
      "@@ -1,2 +1,2 @@ export function first() {",
      " same",
      "-old",
      "\\ No newline at end of file",
      "+new",
      "@@ -10 +10,2 @@",
      " ten",
      "--- no header but a line of SQL",
      "+++ neither",
      "",
    ].join("\n");
    expect(fromUnified(unified)).toEqual({
      rows: [
        { kind: "hunk", text: "export function first() {", oldLine: 1, newLine: 1 },
        { kind: "context", text: "same", oldLine: 1, newLine: 1 },
        { kind: "remove", text: "old", oldLine: 2 },
        { kind: "add", text: "new", newLine: 2 },
        { kind: "hunk", text: "", oldLine: 10, newLine: 10 },
        { kind: "context", text: "ten", oldLine: 10, newLine: 10 },
        { kind: "remove", text: "-- no header but a line of SQL", oldLine: 11 },
        { kind: "add", text: "++ neither", newLine: 11 },
      ],
      additions: 2,
      deletions: 2,
    });
  });

  it("reads a change without headers, and then numbers no line", () => {
    expect(fromUnified("- a\n+ b\n  c")).toMatchObject({
      rows: [
        { kind: "remove", text: " a" },
        { kind: "add", text: " b" },
        { kind: "context", text: " c" },
      ],
    });
  });
});
