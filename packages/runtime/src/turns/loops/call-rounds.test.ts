import { expect, it } from "vitest";
import { classifyOutcome, type ReportedOutcome } from "./call-rounds.ts";

it.each<[string, ReportedOutcome, string]>([
  ["a plain text", { output: "three files" }, "success"],
  ["a text that speaks of errors later on", { output: "src/error.ts\nError: not thrown" }, "success"],
  ["a text that begins as an error", { output: "Error: ENOENT: no such file or directory" }, "not_found"],
  ["an error's words in a success", { output: "Error: no such file", isError: false }, "success"],
  ["an exit code of zero", { output: "error: none", exitCode: 0 }, "success"],
  ["an exit code of one", { output: "1 test failed", exitCode: 1 }, "tool_error"],
  ["a missing file", { output: "File does not exist: a.txt", isError: true }, "not_found"],
  ["a refused permission", { output: "EACCES: permission denied, open 'a'", isError: true }, "permission"],
  [
    "a schema's complaint",
    { output: "Invalid arguments for bash: input.command is missing", isError: true },
    "validation",
  ],
  [
    "a missing parameter",
    { output: "The required parameter `path` is absent: missing parameter", isError: true },
    "validation",
  ],
  ["a time-out", { output: "Command timed out after 120000 ms", isError: true }, "timeout"],
  ["another failure", { output: "disk on fire", isError: true }, "tool_error"],
  ["a failure without words", { output: " ", isError: true }, "unknown"],
  ["a failure that a type is named for", { output: "TypeError: x is not a function" }, "tool_error"],
])("classifies %s", (_what, outcome, outcomeClass) => {
  expect(classifyOutcome(outcome)).toBe(outcomeClass);
});
