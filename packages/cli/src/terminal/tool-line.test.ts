import { describe, expect, it } from "vitest";
import { editCounts, shownArgument } from "./tool-line.ts";

describe("editCounts", () => {
  it("counts changed lines apart, not everything between them", () => {
    const diff = { path: "a", before: "1\n2\n3\n4\n5\n", after: "one\n2\n3\n4\nfive\nsix\n" };
    expect(editCounts(diff)).toEqual({ added: 3, removed: 2 });
  });

  it("counts a new file, a deleted one, and one that did not change", () => {
    expect(editCounts({ path: "a", after: "x\ny" })).toEqual({ added: 2, removed: 0 });
    expect(editCounts({ path: "a", before: "x\ny\n" })).toEqual({ added: 0, removed: 2 });
    expect(editCounts({ path: "a", before: "x\n", after: "x\n" })).toEqual({ added: 0, removed: 0 });
  });

  it("believes the contents and not the agent's diff, which takes away a line of a new file", () => {
    expect(editCounts({ path: "a", before: "", after: "3\n", unified: "@@ -1 +1 @@\n-\n+3" })).toEqual({
      added: 1,
      removed: 0,
    });
  });

  it("reads the diff when there is nothing else", () => {
    const unified = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n+++counter;";
    expect(editCounts({ path: "a", unified })).toEqual({ added: 2, removed: 1 });
  });

  it("says nothing when nothing is known", () => {
    expect(editCounts({ path: "a" })).toBeUndefined();
  });
});

describe("a path that a call names", () => {
  it.each<[path: string, shown: string]>([
    ["/w/a/b.ts", "a/b.ts"],
    ["/w", "."],
    ["/w/..hidden", "..hidden"],
    ["/w2/a.ts", "/w2/a.ts"],
    ["/w/../x.ts", "/w/../x.ts"],
  ])("is relative to the workspace only inside it: %s", (path, shown) => {
    expect(shownArgument({ kind: "read", input: { path } }, "/w")).toBe(shown);
  });
});
