import { describe, expect, it } from "vitest";
import type { Intent } from "./model.ts";
import { isFailed } from "./result-verdict.ts";

const read: Intent = { kind: "read", path: "src/a.txt" };
const write: Intent = { kind: "write", path: "errors.txt", content: { from: "prompt", text: "x" } };
const run: Intent = { kind: "run", command: "make" };

describe("clients: a result without an error flag", () => {
  it.each<[Intent, string]>([
    [read, "Error: ENOENT: no such file or directory, open '/x/src/a.txt'"],
    [read, "File not found: /x/src/a.txt"],
    [read, "Error: path must be absolute"],
    [read, '{"error":"no such file"}'],
    [read, "<tool_use_error>File does not exist.</tool_use_error>"],
    [write, "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings"],
    [write, "Error writing file: EACCES"],
    [write, "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nRead-only file system"],
    [write, '{"output":"","metadata":{"exit_code":1}}'],
    [write, '{"success":false}'],
    [run, "boom\nExit code: 2"],
    [run, "Command failed with exit code 1"],
    [run, "The user rejected this command"],
    [run, "Error: command blocked by policy"],
  ])("is a failure when it says so: %j %s", (intent, output) => {
    expect(isFailed(intent, { ok: true, output })).toBe(true);
  });

  it.each<[Intent, string]>([
    [read, "Error: disk full\nError: disk full again\n"],
    [read, "Errors are values."],
    [read, "The file was not found, said the old man.\n".repeat(20)],
    [{ kind: "read", path: "package.json" }, '{"error":"x","success":false}'],
    [write, "Wrote errors.txt"],
    [write, "Successfully wrote 5 bytes to /tmp/failed/errors.txt"],
    [write, "Wrote file successfully.\n\nLSP errors detected in this file"],
    [write, ""],
    [run, "Error: printed by a test, exit code 0 expected"],
    [run, "3 failed, 2 passed\nExit code: 0"],
    [run, "Chunk ID: 1\nProcess exited with code 0\nOutput:\nError"],
    [run, '{"error":"what the command printed"}'],
    [{ kind: "search", pattern: "x", path: "." }, "No matches found"],
    [{ kind: "search", pattern: "x", path: "." }, "src/a.ts:1: throw new Error('not found')"],
  ])("is none when what was asked for merely sounds like one: %j %s", (intent, output) => {
    expect(isFailed(intent, { ok: true, output })).toBe(false);
  });
});
