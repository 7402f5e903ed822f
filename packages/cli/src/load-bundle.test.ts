import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const loader = new URL("../bin/load-bundle.js", import.meta.url).href;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-bundle-"));
  writeMain("first");
  write(
    "greeting-1.js",
    "exports.greet = (word) => require('node:fs').writeSync(1, word + ' ' + __filename.slice(-13));",
  );
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(name: string, body: string): void {
  writeFileSync(join(directory, name), `(function (exports, require, __filename) { "use strict"; ${body}\n})`);
}

function writeMain(word: string): void {
  write("main.js", `require("./greeting-1.js").greet("${word}"); process.exitCode = Number(process.argv[1] ?? 0);`);
  utimesSync(join(directory, "main.js"), 1, 1);
}

/** The bundle's output when loaded by a separate process. */
function run(exitCode = 0): string {
  const args = [`${directory}/`, join(directory, "cache"), "greet"].map((word) => JSON.stringify(word)).join(", ");
  const program = `import(${JSON.stringify(loader)}).then(({ loadBundle }) => loadBundle(${args}))`;
  try {
    return execFileSync(process.execPath, ["-e", program, String(exitCode)], { encoding: "utf8" });
  } catch (reason) {
    return (reason as { readonly stdout: string }).stdout;
  }
}

it("keeps what was compiled of every chunk that a command has run, under the command's name", () => {
  expect(run()).toBe("first greeting-1.js");
  expect(readdirSync(join(directory, "cache"))).toEqual(["greet.bin"]);
  const kept = readFileSync(join(directory, "cache/greet.bin"));
  const { scripts } = JSON.parse(kept.toString("latin1", 24, 24 + kept.readUInt32LE(20))) as {
    scripts: [string, number][];
  };
  expect(scripts.map(([path]) => path)).toEqual(["./main.js", "./greeting-1.js"]);
  expect(run()).toBe("first greeting-1.js");
  expect(readFileSync(join(directory, "cache/greet.bin"))).toEqual(kept);
});

it("runs a bundle that was built again, and not what was kept of the one before", () => {
  run();
  // As long as the other and as old: V8 itself compares no more than the length, and packers give every file the same time.
  writeMain("newer");
  expect(run()).toBe("newer greeting-1.js");
  expect(run()).toBe("newer greeting-1.js");
});

it("keeps nothing of a command that failed", () => {
  expect(run(2)).toBe("first greeting-1.js");
  expect(readdirSync(directory).sort()).toEqual(["greeting-1.js", "main.js"]);
});

it.each<[string, (kept: Buffer) => Buffer]>([
  ["nothing", () => Buffer.alloc(0)],
  ["no index", () => Buffer.from("\u0005\u0000\u0000\u0000oops!")],
  ["a damaged block", (kept) => Buffer.from(kept).fill(0, kept.length - 600, kept.length - 100)],
  ["half of one", (kept) => kept.subarray(0, kept.length / 2)],
])("starts, and makes the cache again, where it finds %s in its place", (_what, found) => {
  run();
  const kept = readFileSync(join(directory, "cache/greet.bin"));
  writeFileSync(join(directory, "cache/greet.bin"), found(kept));
  expect(run()).toBe("first greeting-1.js");
  expect(readFileSync(join(directory, "cache/greet.bin")).length).toBe(kept.length);
});
