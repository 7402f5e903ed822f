import { expect, it } from "vitest";
import { tellingArgument } from "./telling-argument.ts";

it.each([
  ["a command", { kind: "shell", input: { timeout: 5, command: "ls -la" } }, "ls -la"],
  ["a path in any spelling", { kind: "read", input: { file_path: "a.ts" } }, "a.ts"],
  ["the pattern of a search before its place", { kind: "search", input: { path: "/w", pattern: "x" } }, "x"],
  [
    "what a task is about before what it is told",
    { kind: "task", input: { prompt: "long", description: "short" } },
    "short",
  ],
  ["the number of todos", { kind: "todo", input: { todos: [1, 2] } }, "2 items"],
  ["all of it when nothing else tells", { kind: "other", input: { a: 1 } }, '{"a":1}'],
  ["nothing for a question", { kind: "question", input: { questions: [] } }, ""],
  ["nothing for an empty input", { kind: "other", input: {} }, ""],
  ["an input whose telling word is empty whole", { kind: "shell", input: { command: " " } }, '{"command":" "}'],
  ["a bare text", { kind: "other", input: "{broken" }, "{broken"],
  ["nothing at all", { kind: "other" }, ""],
] as const)("tells %s", (_name, call, told) => {
  expect(tellingArgument(call)).toBe(told);
});
