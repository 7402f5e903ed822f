import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToolBench, type ToolBench } from "../testing/tool-bench.ts";
import { createFileTools } from "./file-tools.ts";

const CONFIG = "[core]\n";
let bench: ToolBench;

beforeEach(() => {
  bench = createToolBench({ tools: createFileTools });
  bench.write(".git/config", CONFIG);
  bench.write(".git/hooks/sample", "");
  symlinkSync(".git", bench.path("notes"));
  symlinkSync(".git/hooks/pre-commit", bench.path("hook.txt"));
});
afterEach(() => bench.remove());

const gitFiles = () => ({
  config: readFileSync(bench.path(".git/config"), "utf8"),
  entries: readdirSync(bench.path(".git"), { recursive: true }).toSorted(),
});
const untouched = { config: CONFIG, entries: ["config", "hooks", "hooks/sample"] };

describe("what decides what is run is not changed by way of a link, even when the call was approved", () => {
  it.each<[string, object]>([
    ["write", { path: "notes/config", content: "x" }],
    ["write", { path: "notes/new", content: "x" }],
    ["write", { path: "notes/new/deep/file", content: "x" }],
    ["write", { path: "hook.txt", content: "x" }],
    ["edit", { path: "notes/config", old_string: "core", new_string: "x" }],
    ["mkdir", { path: "notes/new/deep" }],
    ["rm", { path: "notes/config" }],
    ["rm", { path: "notes/hooks", recursive: true }],
  ])("%s %j", async (tool, input) => {
    const result = await bench.call(tool, input);
    expect({ result, files: gitFiles() }).toEqual({
      result: {
        status: "error",
        output: expect.stringMatching(
          / leads by a link to \.git\S*, which controls what is run, and cannot be changed through a link$/,
        ),
        outcomeClass: "permission",
      },
      files: untouched,
    });
  });

  it("while the link itself may be removed, and the file be read or named as what it is", async () => {
    const outcomes = [
      await bench.call("read", { path: "notes/config" }),
      await bench.call("rm", { path: "notes" }),
      await bench.call("write", { path: ".git/config", content: "changed" }),
    ];
    expect({ statuses: outcomes.map(({ status }) => status), link: existsSync(bench.path("notes")) }).toEqual({
      statuses: ["ok", "ok", "ok"],
      link: false,
    });
  });
});

describe("a call that was judged by where its path leads", () => {
  it.each<[string, object]>([
    ["read", { path: "docs/a" }],
    ["write", { path: "docs/a", content: "x" }],
    ["edit", { path: "docs/a", old_string: "a", new_string: "x" }],
    ["grep", { path: "docs", pattern: "a" }],
    ["glob", { path: "docs", pattern: "*" }],
    ["ls", { path: "docs" }],
    ["mkdir", { path: "docs/new" }],
    ["rm", { path: "docs/a" }],
    ["stat", { path: "docs/a" }],
  ])("does not go elsewhere when a link is put in the way afterwards: %s", async (tool, input) => {
    bench.write("docs/a", "a");
    bench.write("secret/a", "a secret");
    const judgedPaths = ["", "docs", "docs/a", "docs/new"];
    const before = await bench.call("stat", { path: "docs/a" }, { judgedPaths });
    renameSync(bench.path("docs"), bench.path("old"));
    symlinkSync("secret", bench.path("docs"));
    const { status, output } = await bench.call(tool, input, { judgedPaths });
    expect({ before: before.status, status, output, secret: bench.read("secret/a") }).toEqual({
      before: "ok",
      status: "error",
      output: expect.stringContaining("which is not where it led when it was judged"),
      secret: "a secret",
    });
  });

  it("never writes below .git while a directory is swapped for a link all the time", async () => {
    symlinkSync(".git", bench.path("linked"));
    bench.write("swapped/config", CONFIG);
    const swapper = new Worker(
      `const { renameSync } = require("node:fs"); const { workerData: at } = require("node:worker_threads");
       for (;;) { renameSync(at + "/swapped", at + "/real"); renameSync(at + "/linked", at + "/swapped");
                  renameSync(at + "/swapped", at + "/linked"); renameSync(at + "/real", at + "/swapped"); }`,
      { eval: true, workerData: bench.workspace },
    );
    const judgedPaths = ["swapped/config"];
    try {
      for (let round = 0; round < 200; round += 1)
        await bench.call(
          "edit",
          { path: "swapped/config", old_string: "[core]", new_string: "[core] " },
          { judgedPaths },
        );
    } finally {
      await swapper.terminate();
    }
    expect(gitFiles()).toEqual(untouched);
  });
});
