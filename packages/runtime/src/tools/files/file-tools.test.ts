import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToolBench, type ToolBench } from "../testing/tool-bench.ts";
import { createFileTools } from "./file-tools.ts";

let bench: ToolBench;

beforeEach(() => {
  bench = createToolBench({ tools: createFileTools });
});

afterEach(() => bench.remove());

const ok = (output: string, more = {}): object => ({ status: "ok", output, outcomeClass: "success", ...more });
const failed = (outcomeClass: string, output: string): object => ({ status: "error", output, outcomeClass });

describe("read", () => {
  it("gives a file as it is", async () => {
    bench.write("a.txt", "one\ntwo\n\nfour");
    expect(await bench.call("read", { path: "a.txt" })).toEqual(ok("one\ntwo\n\nfour"));
  });

  it("gives the lines that were asked for, and says how to go on", async () => {
    bench.write("a.txt", "1\n2\n3\n4\n5\n");
    const first = await bench.call("read", { path: "a.txt", offset: 2, limit: 2 });
    const last = await bench.call("read", { path: "a.txt", offset: 4, limit: 2 });
    expect([first, last]).toEqual([ok("2\n3\n[There is more: continue with offset 4.]"), ok("4\n5")]);
  });

  it("never cuts a long file in silence: following the notes gives all of it", async () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => `line ${index} ${"·".repeat(index % 40)}`);
    bench.write("long.txt", lines.join("\n"));
    const seen: string[] = [];
    for (let offset = 1; offset !== 0; ) {
      const { output } = await bench.call("read", { path: "long.txt", offset });
      const [, shown = output, next] = /^(.*)\n\[There is more: continue with offset (\d+)\.\]$/s.exec(output) ?? [];
      seen.push(...shown.split("\n"));
      offset = Number(next ?? 0);
    }
    expect(seen).toEqual(lines);
  });

  it("shows the beginning of an endless line and says what is missing", async () => {
    bench.write("min.js", `${"x".repeat(100_000)}\nnext`);
    const { output } = await bench.call("read", { path: "min.js" });
    expect(output).toBe(`${"x".repeat(8192)} [… line cut: 91808 more characters]\nnext`);
  });

  it("says so when there is nothing to show", async () => {
    bench.write("empty", "");
    bench.write("short", "1\n2\n");
    expect(await bench.call("read", { path: "empty" })).toEqual(ok("[The file is empty.]"));
    expect(await bench.call("read", { path: "short", offset: 9 })).toEqual(ok("[The file has only 2 lines.]"));
  });

  it("refuses what is not a text file", async () => {
    bench.write("photo", Buffer.from([0x89, 0x50, 0x00, 0x01]));
    mkdirSync(bench.path("dir"));
    execFileSync("mkfifo", [bench.path("pipe")]);
    expect(await Promise.all(["photo", "dir", "pipe", "none"].map((path) => bench.call("read", { path })))).toEqual([
      failed("tool_error", "photo is a binary file of 4 bytes and cannot be shown as text"),
      failed("validation", "dir is a directory"),
      failed("validation", "pipe is not a regular file"),
      failed("not_found", "none does not exist"),
    ]);
  });
});

describe("write", () => {
  it("makes a file with its directories, and shows the difference", async () => {
    const result = await bench.call("write", { path: "a/b/c.txt", content: "héllo" });
    expect(result).toEqual(ok("Created a/b/c.txt (6 bytes)", { diff: { path: "a/b/c.txt", after: "héllo" } }));
    expect(bench.read("a/b/c.txt")).toBe("héllo");
  });

  it("replaces a file and keeps its mode", async () => {
    bench.write("run.sh", "old");
    chmodSync(bench.path("run.sh"), 0o754);
    const result = await bench.call("write", { path: "run.sh", content: "new" });
    expect(result).toEqual(ok("Replaced run.sh (3 bytes)", { diff: { path: "run.sh", before: "old", after: "new" } }));
    expect(statSync(bench.path("run.sh")).mode & 0o777).toBe(0o754);
  });

  it("replaces a binary file without pretending to know what was in it", async () => {
    bench.write("data", Buffer.from([0, 1]));
    const result = await bench.call("write", { path: "data", content: "text" });
    expect(result).toEqual(ok("Replaced data (4 bytes)", { diff: { path: "data" } }));
  });

  it("does not write over a directory, or the workspace", async () => {
    mkdirSync(bench.path("dir"));
    expect(await bench.call("write", { path: "dir", content: "" })).toEqual(failed("validation", "dir is a directory"));
    expect(await bench.call("write", { path: ".", content: "" })).toEqual(failed("validation", ". is a directory"));
  });
});

describe("edit", () => {
  it("replaces the one occurrence, letter for letter", async () => {
    bench.write("a.ts", "const a = 1;\r\n$& stays\n");
    const result = await bench.call("edit", { path: "a.ts", old_string: "a = 1", new_string: "b = $&$1" });
    const diff = { path: "a.ts", before: "const a = 1;\r\n$& stays\n", after: "const b = $&$1;\r\n$& stays\n" };
    expect(result).toEqual(ok("Replaced 1 occurrence in a.ts", { diff }));
    expect(bench.read("a.ts")).toBe(diff.after);
  });

  it("replaces all of them only with replace_all", async () => {
    bench.write("a.txt", "x x x");
    const edit = { path: "a.txt", old_string: "x", new_string: "y" };
    expect(await bench.call("edit", edit)).toEqual(
      failed(
        "validation",
        "old_string occurs 3 times in a.txt. Add lines around it until it is unique, or set replace_all",
      ),
    );
    expect(bench.read("a.txt")).toBe("x x x");
    expect((await bench.call("edit", { ...edit, replace_all: true })).output).toBe("Replaced 3 occurrences in a.txt");
    expect(bench.read("a.txt")).toBe("y y y");
  });

  it("says why nothing was replaced", async () => {
    bench.write("dos.txt", "one\r\ntwo\r\n");
    const edit = (old_string: string, new_string = "x"): Promise<{ output: string }> =>
      bench.call("edit", { path: "dos.txt", old_string, new_string });
    expect([(await edit("one\ntwo")).output, (await edit("three")).output, (await edit("x")).output]).toEqual([
      "old_string does not occur in dos.txt. The file's lines end in CRLF (\\r\\n).",
      "old_string does not occur in dos.txt. Read the file again: white space counts, too.",
      "old_string and new_string are the same: there is nothing to change",
    ]);
  });

  it("does not spoil a file that is not UTF-8", async () => {
    const bytes = Buffer.from([0x66, 0xfc, 0x72]);
    bench.write("latin1.txt", bytes);
    const result = await bench.call("edit", { path: "latin1.txt", old_string: "f", new_string: "g" });
    expect(result).toEqual(failed("tool_error", "latin1.txt is a binary file of 3 bytes, not UTF-8 text"));
  });

  it("keeps a byte order mark", async () => {
    bench.write("bom.txt", "\uFEFFold");
    await bench.call("edit", { path: "bom.txt", old_string: "old", new_string: "new" });
    expect(bench.read("bom.txt")).toBe("\uFEFFnew");
  });

  it("loses none of many edits that come at once", async () => {
    const marks = Array.from({ length: 30 }, (_, index) => `<${index}>`);
    bench.write("list.txt", marks.join("\n"));
    await Promise.all(
      marks.map((mark) => bench.call("edit", { path: "list.txt", old_string: mark, new_string: `done ${mark}` })),
    );
    expect(bench.read("list.txt")).toBe(marks.map((mark) => `done ${mark}`).join("\n"));
  });
});

describe("grep", () => {
  beforeEach(() => {
    bench.write("src/a.ts", "const one = 1;\nconst TWO = 2;\n");
    bench.write("src/b.md", "one of them\n");
    bench.write("node_modules/x/index.js", "one");
    bench.write(".git/config", "one");
    bench.write("blob", Buffer.from("one\0"));
    symlinkSync("src/a.ts", bench.path("link.ts"));
  });

  it("prints path, line and text, and leaves out what nobody looks for", async () => {
    const result = await bench.call("grep", { pattern: "\\bone\\b" });
    expect(result).toEqual(ok("src/a.ts:1:const one = 1;\nsrc/b.md:1:one of them"));
  });

  it("can be narrowed to a directory, a file, a kind of file, or a number of matches", async () => {
    const outputs = [
      { pattern: "one", glob: "*.md" },
      { pattern: "one", path: "src/a.ts" },
      { pattern: "two", path: "src", ignore_case: true },
      { pattern: "const", limit: 1 },
      { pattern: "nowhere" },
    ].map(async (input) => (await bench.call("grep", input)).output);
    expect(await Promise.all(outputs)).toEqual([
      "src/b.md:1:one of them",
      "src/a.ts:1:const one = 1;",
      "src/a.ts:2:const TWO = 2;",
      "src/a.ts:1:const one = 1;\n[There are more matches than 1: narrow the search, or raise limit.]",
      "[No match.]",
    ]);
  });

  it("refuses a pattern that is none", async () => {
    const { outcomeClass, output } = await bench.call("grep", { pattern: "(" });
    expect({ outcomeClass, blamesThePattern: output.startsWith("The pattern is not a regular expression: ") }).toEqual({
      outcomeClass: "validation",
      blamesThePattern: true,
    });
  });

  it("is stopped in the middle of a pattern that would take for ever", async () => {
    bench.write("trap.txt", "a".repeat(50));
    const cancel = new AbortController();
    const slow = bench.call("grep", { pattern: "^(a+)+$|(a|a)*b|(a*)*c" }, { signal: cancel.signal });
    const stuck = bench.call("grep", { pattern: "^(a|a)*b$", path: "trap.txt" }, { signal: cancel.signal });
    await slow;
    cancel.abort();
    expect(await stuck).toEqual({ status: "interrupted", output: "Cancelled", outcomeClass: "unknown" });
  });
});

describe("glob", () => {
  beforeEach(() => {
    for (const name of ["a.ts", "src/b.ts", "src/deep/c.tsx", "src/[x].js", "node_modules/d.ts", ".git/e.ts", ".env"])
      bench.write(name, "");
  });

  it.each([
    ["*.ts", "a.ts\nsrc/b.ts"],
    ["**/*.{ts,tsx}", "a.ts\nsrc/b.ts\nsrc/deep/c.tsx"],
    ["src/*", "src/[x].js\nsrc/b.ts"],
    ["src/**", "src/[x].js\nsrc/b.ts\nsrc/deep/c.tsx"],
    ["./a.ts", "a.ts"],
    ["?.ts", "a.ts\nsrc/b.ts"],
    ["[!a].ts", "src/b.ts"],
    ["[a-b].ts", "a.ts\nsrc/b.ts"],
    ["src/{b.ts,deep/{c,d}.tsx}", "src/b.ts\nsrc/deep/c.tsx"],
    [".env", ".env"],
    ["*.py", "[No file matches.]"],
  ])("finds %s", async (pattern, output) => {
    expect(await bench.call("glob", { pattern })).toEqual(ok(output));
  });

  it("searches below a directory and still prints paths of the workspace", async () => {
    expect(await bench.call("glob", { pattern: "*.tsx", path: "src" })).toEqual(ok("src/deep/c.tsx"));
  });

  it("takes no time for a pattern made of stars", async () => {
    bench.write("a".repeat(200), "");
    expect(await bench.call("glob", { pattern: `${"*a".repeat(100)}b` })).toEqual(ok("[No file matches.]"));
  });
});

describe("directories", () => {
  it("are made, listed, described and removed", async () => {
    await bench.call("mkdir", { path: "one/two" });
    bench.write("one/file.txt", "12345");
    symlinkSync("file.txt", bench.path("one/link"));
    utimesSync(bench.path("one/file.txt"), 0, 0);
    chmodSync(bench.path("one/file.txt"), 0o640);
    expect([
      (await bench.call("mkdir", { path: "one/two" })).output,
      (await bench.call("ls", { path: "one" })).output,
      (await bench.call("ls", {})).output,
      JSON.parse((await bench.call("stat", { path: "one/file.txt" })).output),
      (await bench.call("rm", { path: "one/link" })).output,
      (await bench.call("rm", { path: "one" })).output,
      (await bench.call("rm", { path: "one", recursive: true })).output,
      (await bench.call("ls", {})).output,
    ]).toEqual([
      "one/two exists already",
      "file.txt\nlink@\ntwo/",
      "one/",
      { path: "one/file.txt", kind: "file", bytes: 5, mode: "640", modified: "1970-01-01T00:00:00.000Z" },
      "Removed one/link",
      "one is not empty",
      "Removed one",
      "[The directory is empty.]",
    ]);
  });

  it("say where a link points without going there", async () => {
    symlinkSync("/nowhere/at/all", bench.path("link"));
    const { output } = await bench.call("stat", { path: "link" });
    expect(JSON.parse(output)).toMatchObject({ path: "link", kind: "link", target: "/nowhere/at/all" });
  });

  it("cannot be made where a file is, and the workspace cannot be removed", async () => {
    bench.write("file", "");
    expect(await bench.call("mkdir", { path: "file" })).toEqual(failed("validation", "file exists already"));
    expect(await bench.call("rm", { path: ".", recursive: true })).toEqual(
      failed("permission", "The workspace itself cannot be removed"),
    );
  });
});
