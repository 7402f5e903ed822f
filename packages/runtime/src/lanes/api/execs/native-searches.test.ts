import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { barSize } from "../../../testing/bar-size.ts";
import { createNativeBench, type NativeBench, type NativeRun } from "../testing/native-bench.ts";

let bench: NativeBench;
beforeEach(() => {
  bench = createNativeBench();
});
afterEach(() => bench.close());

const put = (name: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(bench.path(name)), { recursive: true });
  writeFileSync(bench.path(name), content);
};

const putEntry = (name: string, isDirectory: boolean): void =>
  isDirectory ? void mkdirSync(bench.path(name)) : put(name, "");

const oddNames = [
  ...[
    "[id].tsx",
    "[slug]",
    "[",
    "name@",
    "what?",
    "star*",
    "a:12:b.txt",
    "12",
    "-n",
    " ",
    "...",
    "line\nfeed",
    "é",
    "e\u0301",
  ],
  ...[
    "[There is more: continue with offset 2.]",
    "[The directory is empty.]",
    "back\\slash",
    'quo"te',
    "tab\t",
    "\u202e",
  ],
];

async function list(run: NativeRun, name: string, ignore: string[] = []) {
  const answer = await run.exec({ case: "lsArgs", value: { path: bench.path(name), ignore } });
  if (answer.case !== "lsResult" || answer.value.result.case !== "success")
    throw new Error(JSON.stringify(answer.value));
  const {
    absPath = "",
    childrenDirs = [],
    childrenFiles = [],
    numFiles,
  } = answer.value.result.value.directoryTreeRoot ?? {};
  expect(numFiles).toBe(childrenFiles.length);
  return {
    directories: childrenDirs.map((child) => child.absPath.slice(absPath.length + 1)).toSorted(),
    files: childrenFiles.map((child) => child.name).toSorted(),
  };
}

function onDisk(name: string) {
  const entries = readdirSync(bench.path(name), { withFileTypes: true });
  const named = (isWanted: boolean) =>
    entries
      .filter((entry) => entry.isDirectory() === isWanted)
      .map((entry) => entry.name)
      .toSorted();
  return { directories: named(true), files: named(false) };
}

describe("a directory that the upstream lists", () => {
  it("has all of its entries, whatever they are named", async () => {
    const name = fc.oneof(
      fc.constantFrom(...oddNames),
      fc
        .string({ unit: "binary", minLength: 1, maxLength: 20 })
        .filter((each) => !/[/\0]|^\.\.?$/.test(each) && each.isWellFormed()),
    );
    const entries = fc.uniqueArray(fc.tuple(name, fc.boolean()), {
      selector: ([each]) => each.normalize("NFC"),
      maxLength: 30,
    });
    const trees = fc.sample(entries, { numRuns: barSize({ quick: 5, full: 200 }), seed: 40 });
    await bench.play(async (run) => {
      for (const [index, tree] of trees.entries()) {
        mkdirSync(bench.path(`${index}`));
        for (const [each, isDirectory] of tree) putEntry(`${index}/${each}`, isDirectory);
        expect(await list(run, `${index}`)).toEqual(onDisk(`${index}`));
      }
    });
  });

  it("has more entries than a model is shown, and those that are no UTF-8", async () => {
    for (let index = 0; index < 2_100; index += 1) put(`many/${index}`, "");
    mkdirSync(bench.path("latin"));
    writeFileSync(Buffer.concat([Buffer.from(`${bench.path("latin")}/caf`), Buffer.from([0xe9])]), "");
    await bench.play(async (run) => {
      expect(await list(run, "many")).toEqual(onDisk("many"));
      expect(await list(run, "latin")).toEqual({ directories: [], files: ["caf\ufffd"] });
    });
  });

  it("leaves out what the upstream wants ignored", async () => {
    for (const name of ["a.ts", "b.js", "dist/x", "node_modules/y"]) put(name, "");
    await bench.play(async (run) => {
      expect(await list(run, "", ["*.js", "**/node_modules/**"])).toEqual({ directories: ["dist"], files: ["a.ts"] });
    });
  });
});

interface Search {
  readonly pattern: string;
  readonly outputMode?: string;
  readonly contextBefore?: number;
  readonly contextAfter?: number;
  readonly caseInsensitive?: boolean;
  readonly headLimit?: number;
  readonly offset?: number;
  readonly glob?: string;
  readonly type?: string;
  readonly multiline?: boolean;
  readonly sort?: string;
  readonly sortAscending?: boolean;
}

async function grep(run: NativeRun, search: Search) {
  const answer = await run.exec({ case: "grepArgs", value: { path: bench.workspace, ...search } });
  if (answer.case !== "grepResult") throw new Error(`${answer.case}`);
  const { result } = answer.value;
  if (result.case !== "success") return result.value?.error;
  return result.value.workspaceResults[bench.workspace]?.result;
}

/** A search as lines of `file`, mark, line number, mark and text, marks as grep prints them. */
function linesOf(union: Awaited<ReturnType<typeof grep>>): readonly string[] {
  if (typeof union !== "object" || union.case !== "content") throw new Error(JSON.stringify(union));
  return union.value.matches.flatMap(({ file, matches }) =>
    matches.map(({ lineNumber, content, isContextLine }) => {
      const mark = isContextLine ? "-" : ":";
      return `${file}\0${lineNumber}${mark}${content}`;
    }),
  );
}

/** GNU grep's result for the same files. */
function byGrep(...args: readonly string[]): readonly string[] {
  const options = ["-rnZ", "-I", "--no-group-separator", "--color=never", ...args, "."];
  const { stdout, status } = spawnSync("grep", options, {
    cwd: bench.workspace,
    encoding: "utf8",
    env: { LC_ALL: "C.UTF-8" },
  });
  if (status === 2) throw new Error("grep failed");
  const lines = stdout.split("\n").filter((each) => each !== "");
  return lines.map((each) => each.replace(/^\.\//, "").replace(/\r$/, ""));
}

const hasGnuGrep = /GNU/.test(spawnSync("grep", ["--version"], { encoding: "utf8" }).stdout ?? "");

describe.runIf(hasGnuGrep)("a search that the upstream asks for", () => {
  const words = fc.constantFrom("x = 1", "y = 22", "", "X", "x:12:y", "a-3-b", "[No match.]", "é x", "xx", "\tx");
  const content = fc
    .tuple(fc.array(words, { maxLength: 25 }), fc.boolean())
    .map(([lines, isOpen]) => lines.join("\n") + (isOpen ? "" : "\n"));
  const names = fc.constantFrom("a.ts", "a:12:b.txt", "[id].tsx", "deep/12", "deep/er/b.ts", "-n", "é", " ");
  const files = fc.uniqueArray(fc.tuple(names, content), { selector: ([name]) => name, minLength: 1, maxLength: 6 });
  const searches = fc.record({
    pattern: fc.constantFrom("x", "x$", "^x", "[0-9]+", "=", "é", ":", "^$"),
    contextBefore: fc.nat(2),
    contextAfter: fc.nat(2),
    caseInsensitive: fc.boolean(),
  });

  it("finds the lines that grep finds, with the lines around them, and their true numbers", {
    timeout: 600_000,
  }, async () => {
    const cases = fc.sample(fc.tuple(files, searches), { numRuns: barSize({ quick: 4, full: 80 }), seed: 41 });
    await bench.play(async (run) => {
      for (const [tree, search] of cases) {
        for (const name of readdirSync(bench.workspace)) rmSync(bench.path(name), { recursive: true });
        for (const [name, text] of tree) put(name, text);
        const union = await grep(run, search);
        const inFiles = await grep(run, { ...search, outputMode: "files_with_matches" });
        const counted = await grep(run, { ...search, outputMode: "count" });
        expect(linesOf(union).toSorted()).toEqual(withContext(search));
        expect([union, inFiles, counted]).toMatchObject(expectedAnswers(search));
      }
    });
  });
});

function matching({ pattern, caseInsensitive }: Search): readonly string[] {
  return [...(caseInsensitive === true ? ["-i"] : []), "-E", "-e", pattern];
}

function withContext(search: Search): readonly string[] {
  const { contextBefore = 0, contextAfter = 0 } = search;
  return byGrep(`-B${contextBefore}`, `-A${contextAfter}`, ...matching(search)).toSorted();
}

/** In the three modes: what grep says, counted. */
function expectedAnswers(search: Search) {
  const matched = byGrep(...matching(search));
  const byFile = Map.groupBy(matched, (each) => each.split("\0")[0] ?? "");
  const counts = Array.from(byFile, ([file, lines]) => ({ file, count: lines.length })).toSorted((one, other) =>
    one.file < other.file ? -1 : 1,
  );
  const totalFiles = counts.length;
  const totalLines = withContext(search).length;
  return [
    { case: "content", value: { totalLines, totalMatchedLines: matched.length, clientTruncated: false } },
    { case: "files", value: { files: counts.map(({ file }) => file), totalFiles, clientTruncated: false } },
    { case: "count", value: { counts, totalFiles, totalMatches: matched.length, clientTruncated: false } },
  ];
}

/** How many there are, how many there would be, and what is said about the rest. */
function shownOf(union: Awaited<ReturnType<typeof grep>>): readonly unknown[] {
  if (typeof union !== "object" || union.case === undefined) throw new Error("no result");
  const { clientTruncated, headLimitApplied, offsetApplied } = union.value;
  const counts = {
    content: () => [linesOf(union).length, union.case === "content" && union.value.totalMatchedLines],
    files: () => union.case === "files" && [union.value.files.length, union.value.totalFiles],
    count: () => union.case === "count" && [union.value.counts.length, union.value.totalFiles],
  }[union.case]();
  return [...(counts || []), clientTruncated, headLimitApplied, offsetApplied];
}

describe("the limits of a search", () => {
  it("are marked, with true totals", async () => {
    for (let index = 0; index < 60; index += 1) put(`${index}.txt`, "hit\n".repeat(100));
    const seen: unknown[] = [];
    await bench.play(async (run) => {
      for (const outputMode of ["content", "files_with_matches", "count"])
        for (const limits of [{}, { headLimit: 7 }, { headLimit: 2, offset: 5 }])
          seen.push([outputMode, ...shownOf(await grep(run, { pattern: "hit", outputMode, ...limits }))]);
    });
    expect(seen).toEqual([
      ["content", 6_000, 6_000, false, undefined, undefined],
      ["content", 7, 6_000, true, 7, undefined],
      ["content", 2, 6_000, true, 2, 5],
      ["files_with_matches", 60, 60, false, undefined, undefined],
      ["files_with_matches", 7, 60, true, 7, undefined],
      ["files_with_matches", 2, 60, true, 2, 5],
      ["count", 60, 60, false, undefined, undefined],
      ["count", 7, 60, true, 7, undefined],
      ["count", 2, 60, true, 2, 5],
    ]);
  });

  it("are those of a program, and beyond them lines are counted and said to be left out", async () => {
    put("huge.txt", "hit\n".repeat(50_010));
    let union: Awaited<ReturnType<typeof grep>>;
    await bench.play(async (run) => {
      union = await grep(run, { pattern: "hit" });
    });
    expect(linesOf(union)).toHaveLength(50_000);
    expect(union).toMatchObject({ value: { totalMatchedLines: 50_010, clientTruncated: true } });
  });
});

it("a search that cannot look everywhere says so", async () => {
  put(`${"deep/".repeat(66)}file.txt`, "hit\n");
  put("file.txt", "hit\n");
  const seen: unknown[] = [];
  await bench.play(async (run) => {
    seen.push(shownOf(await grep(run, { pattern: "hit", outputMode: "count" })));
    seen.push(shownOf(await grep(run, { pattern: "", outputMode: "files_with_matches" })));
  });
  expect(seen).toEqual([
    [1, 1, true, undefined, undefined],
    [1, 1, true, undefined, undefined],
  ]);
});

describe("what a search can be told", () => {
  it("is the order of files, also where only their names are wanted; one that is not known is refused", async () => {
    for (const [index, name] of ["b.ts", "c.ts", "a.ts"].entries()) {
      put(name, "one\n");
      utimesSync(bench.path(name), 1_000 + index, 1_000 - index);
    }
    const asked = ["path", "modified", "none", "klingon"].flatMap((sort) => [
      { sort, sortAscending: true },
      { sort, sortAscending: false },
    ]);
    const seen: unknown[] = [];
    const listed = async (run: NativeRun, pattern: string, order: (typeof asked)[number]): Promise<void> => {
      const union = await grep(run, { pattern, ...order, outputMode: "files_with_matches" });
      const files = typeof union === "object" && union.case === "files" ? union.value.files : [union];
      seen.push([order.sort, order.sortAscending, ...files]);
    };
    await bench.play(async (run) => {
      for (const pattern of ["one", ""]) for (const order of asked) await listed(run, pattern, order);
    });
    const orders = [
      ["path", true, "a.ts", "b.ts", "c.ts"],
      ["path", false, "c.ts", "b.ts", "a.ts"],
      ["modified", true, "a.ts", "c.ts", "b.ts"],
      ["modified", false, "b.ts", "c.ts", "a.ts"],
      ["none", true, "a.ts", "b.ts", "c.ts"],
      ["none", false, "c.ts", "b.ts", "a.ts"],
      ["klingon", true, "This client does not know the order klingon"],
      ["klingon", false, "This client does not know the order klingon"],
    ];
    expect(seen).toEqual([...orders, ...orders]);
  });

  it("is a pattern as ripgrep reads it; what it does not know is refused, and not searched as something else", async () => {
    put("a.ts", "  foo(one) {\nfoo_two é\n");
    const patterns = [
      "[[:space:]]foo",
      "\\<foo\\>",
      "\\Afoo",
      "\\x{66}oo_",
      "foo\\(one\\) {",
      "\\b\\w$",
      "\\hfoo",
      "one\\n",
    ];
    const seen: unknown[] = [];
    await bench.play(async (run) => {
      for (const pattern of patterns) {
        const union = await grep(run, { pattern });
        seen.push(typeof union === "object" ? linesOf(union).map((each) => each.slice("a.ts\0".length, -1)) : union);
      }
    });
    expect(seen).toEqual([
      ["1:  foo(one) "],
      ["1:  foo(one) "],
      ["2:foo_two "],
      ["2:foo_two "],
      ["1:  foo(one) "],
      ["2:foo_two "],
      expect.stringContaining("is not a regular expression: \\h is not known here"),
      expect.stringContaining("is not a regular expression: it has a line feed"),
    ]);
  });

  it("is heeded: kinds of files, globs, several lines at once, and what is not known is refused", async () => {
    put("a.ts", "one\ntwo\n");
    put("b.test.ts", "one\ntwo\n");
    put("c.py", "one\n\ntwo\n");
    put("wide.txt", Buffer.from("\ufeffone\n", "utf16le"));
    const seen: unknown[] = [];
    const filesOf = async (run: NativeRun, search: Search): Promise<unknown> => {
      const union = await grep(run, { ...search, outputMode: search.outputMode ?? "files_with_matches" });
      return typeof union === "object" && union.case === "files" ? union.value.files : union;
    };
    await bench.play(async (run) => {
      seen.push(await filesOf(run, { pattern: "one", type: "ts" }));
      seen.push(await filesOf(run, { pattern: "one", glob: "!*.test.ts" }));
      seen.push(await filesOf(run, { pattern: "one.+two", multiline: true }));
      seen.push(await filesOf(run, { pattern: "(?i)ONE", type: "py" }));
      seen.push(await filesOf(run, { pattern: "\\-|one", type: "py" }));
      seen.push(await filesOf(run, { pattern: "", glob: "**/*.ts" }));
      seen.push(linesOf(await grep(run, { pattern: "one\\s+two", multiline: true, type: "py" })));
      seen.push(await filesOf(run, { pattern: "one", type: "klingon" }));
      seen.push(await filesOf(run, { pattern: "(" }));
      seen.push(await filesOf(run, { pattern: "one", outputMode: "poem" }));
    });
    expect(seen).toEqual([
      ["a.ts", "b.test.ts"],
      ["a.ts", "c.py", "wide.txt"],
      ["a.ts", "b.test.ts", "c.py"],
      ["c.py"],
      ["c.py"],
      ["a.ts", "b.test.ts"],
      ["c.py\x001:one", "c.py\x002:", "c.py\x003:two"],
      "There is no kind of file named klingon; use a glob",
      expect.stringContaining("is not a regular expression"),
      "This client does not know the output mode poem",
    ]);
  });
});
