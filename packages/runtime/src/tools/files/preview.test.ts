import { mkdirSync, symlinkSync } from "node:fs";
import { applyPatch } from "diff";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToolBench, type ToolBench } from "../testing/tool-bench.ts";
import { changeDiff } from "./change-diff.ts";
import { createFileTools } from "./file-tools.ts";

let bench: ToolBench;
beforeEach(() => {
  bench = createToolBench({ tools: createFileTools });
});
afterEach(() => bench.remove());

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");

describe("what a call would do", () => {
  it("shows what an overwritten file loses", async () => {
    bench.write("README.md", lines(1, 4));
    expect(await bench.preview("write", { path: "README.md", content: "# Gone\n" })).toEqual({
      preview: {
        effect: "Replaces all of README.md: 1 line added, 4 lines removed",
        diff: { path: "README.md", unified: "@@ -1,4 +1,1 @@\n-line 1\n-line 2\n-line 3\n-line 4\n+# Gone\n" },
        state: expect.any(String),
      },
    });
    expect(bench.read("README.md")).toBe(lines(1, 4));
  });

  it("shows an edit in its true place, with the lines around it", async () => {
    bench.write("src.txt", lines(1, 40));
    const change = { path: "src.txt", old_string: "line 20\n", new_string: "line twenty\n" };
    expect(await bench.preview("edit", change)).toEqual({
      preview: {
        effect: "Changes src.txt: 1 line added, 1 line removed",
        diff: {
          path: "src.txt",
          unified:
            "@@ -17,7 +17,7 @@\n line 17\n line 18\n line 19\n-line 20\n+line twenty\n line 21\n line 22\n line 23\n",
        },
        state: expect.any(String),
      },
    });
  });

  it("shows a new file as all of its lines, also where its directory is missing", async () => {
    expect(await bench.preview("write", { path: "a/b/new.txt", content: "one\ntwo" })).toEqual({
      preview: {
        effect: "Makes a/b/new.txt with 2 lines",
        diff: { path: "a/b/new.txt", after: "one\ntwo" },
        state: "absent",
      },
    });
  });

  it("says that a file it cannot show is replaced", async () => {
    bench.write("logo.png", new Uint8Array([137, 80, 0, 1]));
    expect(await bench.preview("write", { path: "logo.png", content: "x" })).toMatchObject({
      preview: {
        effect: "Replaces all of logo.png, which cannot be shown: logo.png is a binary file of 4 bytes, not UTF-8 text",
        diff: { path: "logo.png", after: "x" },
      },
    });
  });

  it("counts what a deletion takes", async () => {
    bench.write("dist/a.js", "12345");
    bench.write("dist/deep/b.js", "123");
    expect({
      tree: await bench.preview("rm", { path: "dist", recursive: true }),
      file: await bench.preview("rm", { path: "dist/a.js" }),
    }).toMatchObject({
      tree: { preview: { effect: "Deletes dist: a directory with 2 files, 8 bytes" } },
      file: { preview: { effect: "Deletes dist/a.js: a file of 5 bytes" } },
    });
  });

  it.each([
    ["an edit whose old text is not there", "edit", { path: "a.txt", old_string: "nope", new_string: "x" }],
    ["an edit whose old text is there twice", "edit", { path: "a.txt", old_string: "e", new_string: "x" }],
    ["an edit that changes nothing", "edit", { path: "a.txt", old_string: "line 1", new_string: "line 1" }],
    ["an edit of a file that does not exist", "edit", { path: "b.txt", old_string: "a", new_string: "b" }],
    ["an edit of a directory", "edit", { path: "dir", old_string: "a", new_string: "b" }],
    ["writing over a directory", "write", { path: "dir", content: "x" }],
    ["writing below a file", "write", { path: "a.txt/b", content: "x" }],
    ["writing outside of the workspace", "write", { path: "../x", content: "x" }],
    ["writing through a link that leads out", "write", { path: "out/x", content: "x" }],
    ["deleting what is not there", "rm", { path: "b.txt" }],
    ["deleting a directory that is not empty, without saying so", "rm", { path: "dir" }],
    ["deleting the workspace", "rm", { path: ".", recursive: true }],
    ["making a directory where a file is", "mkdir", { path: "a.txt" }],
    ["arguments that the tool does not have", "write", { path: "x", text: "y" }],
  ])("fails as the call would: %s", async (_what, name, input) => {
    bench.write("a.txt", lines(1, 2));
    bench.write("dir/c.txt", "c");
    symlinkSync(bench.outside, bench.path("out"));
    const previewed = await bench.preview(name, input);
    const called = await bench.call(name, input);
    expect(previewed).toEqual({ failed: called });
    expect(called.status).not.toBe("ok");
  });

  it.each([
    ["write", { path: "a.txt", content: "new" }],
    ["edit", { path: "a.txt", old_string: "line 1", new_string: "line one" }],
    ["rm", { path: "a.txt" }],
    ["rm", { path: "dir", recursive: true }],
    ["write", { path: "big.bin", content: "new" }],
  ])("is no longer done by %s %j once what was shown has changed", async (name, input) => {
    bench.write("a.txt", lines(1, 2));
    bench.write("big.bin", new Uint8Array(2 * 1024 * 1024));
    mkdirSync(bench.path("dir"));
    bench.write("dir/c.txt", "c");
    const shown = await bench.preview(name, input);
    const shownState = "preview" in shown ? shown.preview.state : undefined;
    const changed = { "a.txt": `${lines(1, 2)}line 3\n`, "dir/c.txt": "changed", "big.bin": new Uint8Array([0, 1]) };
    for (const [path, content] of Object.entries(changed)) bench.write(path, content);
    const result = await bench.call(name, input, { shownState });
    expect({
      status: result.status,
      output: result.output,
      left: [bench.read("a.txt"), bench.read("dir/c.txt")],
    }).toEqual({
      status: "error",
      output: `${input.path} was changed after the user had approved this call. Nothing was done: read it and try again`,
      left: [changed["a.txt"], "changed"],
    });
  });
});

describe("the difference of two texts", () => {
  it("makes the one of the other, whatever they are", async () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d"), { maxLength: 30 })
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const { diff } = await changeDiff("x", before, after);
        const patch = `--- x\n+++ x\n${diff.unified}`;
        expect(applyPatch(before, patch)).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  it("of texts with nothing in common is all of both", async () => {
    const [before, after] = [lines(1, 3_000), lines(5_001, 8_000)];
    const { diff, added, removed } = await changeDiff("x", before, after);
    expect([diff.unified?.split("\n", 1)[0], added, removed]).toEqual(["@@ -1,3000 +1,3000 @@", 3_000, 3_000]);
  });
});
