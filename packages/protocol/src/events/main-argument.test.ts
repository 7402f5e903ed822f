import { expect, it } from "vitest";
import { mainArgument } from "./main-argument.ts";

it.each([
  ["a command", { kind: "shell", input: { timeout: 5, command: "ls -la" } }, "ls -la"],
  ["a path in any spelling", { kind: "read", input: { file_path: "a.ts" } }, "a.ts"],
  ["the pattern of a search before its path", { kind: "search", input: { path: "/w", pattern: "x" } }, "x"],
  [
    "what a task is about before its prompt",
    { kind: "task", input: { prompt: "long", description: "short" } },
    "short",
  ],
  ["the number of todos", { kind: "todo", input: { todos: [1, 2] } }, "2 items"],
  ["all of it when no argument is known", { kind: "other", input: { a: 1 } }, '{"a":1}'],
  ["nothing for a question", { kind: "question", input: { questions: [] } }, ""],
  ["nothing for an empty input", { kind: "other", input: {} }, ""],
  ["an input whose telling word is empty whole", { kind: "shell", input: { command: " " } }, '{"command":" "}'],
  ["a bare text", { kind: "other", input: "{broken" }, "{broken"],
  ["nothing at all", { kind: "other" }, ""],
] as const)("is %s", (_name, call, argument) => {
  expect(mainArgument(call)).toBe(argument);
});
