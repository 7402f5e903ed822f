import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { barSize } from "../../testing/bar-size.ts";
import { createToolBench, type ToolBench } from "../testing/tool-bench.ts";
import { createFileTools } from "./file-tools.ts";

const SECRET = "the secret outside";
let bench: ToolBench;

beforeEach(() => {
  bench = createToolBench({ tools: createFileTools });
  writeFileSync(join(bench.outside, "secret.txt"), SECRET);
});

afterEach(() => bench.remove());

describe("a path", () => {
  it.each([
    "../outside/secret.txt",
    "a/../../outside/secret.txt",
    "/etc/passwd",
    "/proc/self/environ",
    "..",
    "link/secret.txt",
    "file-link",
    "chain",
  ])("that leads out of the workspace is refused: %s", async (path) => {
    symlinkSync(bench.outside, bench.path("link"));
    symlinkSync("../outside/secret.txt", bench.path("file-link"));
    symlinkSync("file-link", bench.path("chain"));
    expect(await bench.call("read", { path })).toEqual({
      status: "error",
      output: `${path} leads out of the workspace. Only paths inside the workspace can be used`,
      outcomeClass: "permission",
    });
  });

  it("may go up and down, be absolute, or lead over links, as long as it stays inside", async () => {
    bench.write("deep/down/file.txt", "found");
    symlinkSync("../deep", bench.path("deep/again"));
    symlinkSync(bench.path("deep/down"), bench.path("absolute"));
    const ways = [
      "deep/x/../down/file.txt",
      bench.path("deep/down/file.txt"),
      "deep/again/down/file.txt",
      "absolute/file.txt",
    ];
    const outputs = await Promise.all(ways.map(async (path) => (await bench.call("read", { path })).output));
    expect(outputs).toEqual(ways.map(() => "found"));
  });

  it("works in a workspace that is itself named through a link", async () => {
    bench.write("file.txt", "found");
    const alias = join(bench.outside, "alias");
    symlinkSync(bench.workspace, alias);
    const outputs = ["file.txt", join(alias, "file.txt"), bench.path("file.txt")].map(
      async (path) => (await bench.call("read", { path }, { workspace: alias })).output,
    );
    expect(await Promise.all(outputs)).toEqual(["found", "found", "found"]);
  });

  it("of links in a circle ends in an error", async () => {
    symlinkSync("two", bench.path("one"));
    symlinkSync("one", bench.path("two"));
    expect((await bench.call("read", { path: "one" })).output).toBe("Too many symbolic links on the way");
  });

  it("with a NUL in it is refused", async () => {
    expect((await bench.call("read", { path: "a\0b" })).output).toBe("A path cannot contain a NUL character");
  });
});

describe("writing", () => {
  it("goes through a link to a file inside, and keeps the link", async () => {
    bench.write("real.txt", "old");
    symlinkSync("real.txt", bench.path("link.txt"));
    await bench.call("write", { path: "link.txt", content: "new" });
    expect([bench.read("real.txt"), bench.read("link.txt")]).toEqual(["new", "new"]);
  });

  it("does not change the other name of a file that is linked twice", async () => {
    linkSync(join(bench.outside, "secret.txt"), bench.path("hard.txt"));
    await bench.call("write", { path: "hard.txt", content: "new" });
    expect(readFileSync(join(bench.outside, "secret.txt"), "utf8")).toBe(SECRET);
  });

  it("through a dangling link to the outside is refused and makes nothing there", async () => {
    symlinkSync(join(bench.outside, "made.txt"), bench.path("dangling"));
    expect((await bench.call("write", { path: "dangling", content: "x" })).outcomeClass).toBe("permission");
    expect(existsSync(join(bench.outside, "made.txt"))).toBe(false);
  });
});

it("removes links, never what they point to", async () => {
  mkdirSync(bench.path("tree/below"), { recursive: true });
  symlinkSync(bench.outside, bench.path("tree/below/link"));
  expect(await bench.call("rm", { path: "tree", recursive: true })).toMatchObject({ status: "ok" });
  expect({ isTreeLeft: existsSync(bench.path("tree")), outside: readdirSync(bench.outside) }).toEqual({
    isTreeLeft: false,
    outside: ["secret.txt"],
  });
});

/** The secret's words, its name in a list, its size; a link may well say where it points. */
const betrayal = new RegExp(`${SECRET}|^secret\\.txt|"bytes": ${SECRET.length}\\b`, "m");

/** Somewhere in a small world: some names lead to directories, some to links, some nowhere. */
const name = fc.constantFrom("a", "b", "c", "..", ".");
const way = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
const entry = fc.record({
  at: fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
  kind: fc.constantFrom("file", "directory", "link"),
  target: fc.oneof(way, fc.constantFrom("OUTSIDE", "OUTSIDE/secret.txt", "../outside", "../../outside/secret.txt")),
});

function plant(
  root: string,
  outside: string,
  { at, kind, target }: { at: string; kind: string; target: string },
): void {
  const names = at.split("/");
  const parent = join(root, ...names.slice(0, -1));
  try {
    for (let depth = 1; depth < names.length; depth += 1) {
      const directory = join(root, ...names.slice(0, depth));
      if (!existsSync(directory)) mkdirSync(directory);
      // The test itself creates nothing through a link to the outside.
      if (!realpathSync(directory).startsWith(root)) return;
    }
    if (kind === "file") writeFileSync(join(parent, names.at(-1) ?? ""), "inside", { flag: "wx" });
    else if (kind === "directory") mkdirSync(join(root, at));
    else symlinkSync(target.replace("OUTSIDE", outside), join(root, at));
  } catch {
    // The path is taken, or below a file: leave the world unchanged.
  }
}

it("no tool reads or changes anything outside, whatever links there are", async () => {
  const calls = (path: string): readonly [string, object][] => [
    ["read", { path }],
    ["ls", { path }],
    ["stat", { path }],
    ["glob", { path, pattern: "*" }],
    ["write", { path, content: "overwritten" }],
    ["edit", { path, old_string: "s", new_string: "t", replace_all: true }],
    ["mkdir", { path }],
    ["rm", { path, recursive: true }],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 12 }),
      fc.array(way, { minLength: 1, maxLength: 4 }),
      async (entries, ways) => {
        const workspace = realpathSync(mkdtempSync(join(bench.workspace, "world-")));
        const context = { workspace: join(workspace, "workspace") };
        const outside = join(workspace, "outside");
        mkdirSync(context.workspace);
        mkdirSync(outside);
        writeFileSync(join(outside, "secret.txt"), SECRET);
        for (const planted of entries) plant(context.workspace, outside, planted);
        for (const [tool, input] of ways.flatMap((path) => calls(path))) {
          const { output } = await bench.call(tool, input, context);
          expect(output).not.toMatch(betrayal);
        }
        expect(readdirSync(outside)).toEqual(["secret.txt"]);
        expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe(SECRET);
        rmSync(workspace, { recursive: true });
      },
    ),
    { numRuns: barSize({ quick: 12, full: 500 }) },
  );
});

/** Swaps `a` between a directory and a link to the outside, as fast as it can. A write may have made another `a`. */
const swapper = `
  const { renameSync, rmSync, symlinkSync } = require("node:fs");
  const { workerData: { workspace, outside }, parentPort } = require("node:worker_threads");
  const move = (from, to) => renameSync(workspace + "/" + from, workspace + "/" + to);
  const moveToA = (from) => {
    for (;;) {
      try { return move(from, "a"); } catch {}
      try { rmSync(workspace + "/a", { recursive: true, force: true }); } catch {}
    }
  };
  symlinkSync(outside, workspace + "/link");
  parentPort.postMessage("ready");
  for (;;) {
    move("a", "kept");
    moveToA("link");
    move("a", "link");
    moveToA("kept");
  }
`;

const SWAPS = barSize({ quick: 200, full: 10_000 });

it(`a directory that is swapped for a link while ${SWAPS} calls use it never lets one out`, async () => {
  bench.write("a/secret.txt", "inside");
  const { workspace, outside } = bench;
  const worker = new Worker(swapper, { eval: true, workerData: { workspace, outside } });
  await new Promise((resolve) => worker.once("message", resolve));
  const tally: Record<string, number> = {};
  const attempt = async (index: number): Promise<void> => {
    const path = "a/secret.txt";
    const isWrite = index % 5 === 0;
    const { status, output } = await bench.call(
      isWrite ? "write" : "read",
      isWrite ? { path, content: "inside" } : { path },
    );
    const kind = !isWrite && status === "ok" ? output : status;
    tally[kind] = (tally[kind] ?? 0) + 1;
  };
  try {
    // A few calls may all come before or after a swap: go on until each outcome was met.
    for (let start = 0; start < SWAPS || (Object.keys(tally).length < 3 && start < 20_000); start += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => attempt(start + index)));
  } finally {
    await worker.terminate();
  }
  expect(Object.keys(tally).sort()).toEqual(["error", "inside", "ok"]);
  expect(readdirSync(outside)).toEqual(["secret.txt"]);
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe(SECRET);
});

it("leaves no descriptor open", async () => {
  bench.write("a/b/c.txt", "text");
  symlinkSync(bench.outside, bench.path("out"));
  const before = readdirSync("/proc/self/fd").length;
  for (let round = 0; round < 20; round += 1)
    for (const path of ["a/b/c.txt", "a/b", "out/secret.txt", "a/none", "none/none", "../x"])
      for (const tool of ["read", "ls", "stat", "glob"])
        await bench.call(tool, tool === "glob" ? { path, pattern: "*" } : { path });
  expect(readdirSync("/proc/self/fd").length - before).toBeLessThan(10);
});

it("makes its temporary files where nobody is bothered, and leaves none", async () => {
  await bench.call("write", { path: "one/two/file.txt", content: "x" });
  mkdirSync(bench.path("one/dir"));
  await bench.call("write", { path: "one/dir", content: "x" });
  expect([readdirSync(bench.path("one")), readdirSync(bench.path("one/two"))]).toEqual([["dir", "two"], ["file.txt"]]);
});
