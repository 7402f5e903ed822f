import { expect, it } from "vitest";
import type { AgentEventOf } from "../events/agent-event.ts";
import { approvalText } from "./approval-text.ts";
import { approvalView } from "./approval-view.ts";

type Request = AgentEventOf<"approval-request">;

const request = (more: Partial<Request>): Request => ({
  type: "approval-request",
  requestId: "r",
  subject: "exec",
  input: {},
  ...more,
});
const textOf = (more: Partial<Request>): string => approvalText(approvalView(request(more)));

it("says each thing once, with each line of its own marked, and what cannot be seen written out", () => {
  expect([
    textOf({
      input: { command: "echo a # b\nnode hidden.js ", cwd: "lib", description: "Greet\n$ ls", env: { A: "1" } },
    }),
    textOf({ input: { argv: ["rm", "a b"] }, danger: "`rm` deletes", reason: "`rm` deletes" }),
    textOf({ server: "s", subject: "run", input: { command: "ls", cwd: "x" }, reason: "asks\nabout it" }),
    textOf({
      subject: "edit",
      input: { path: "a\n.js", old_string: "x", new_string: "y" },
      diff: { path: "a\n.js", unified: "@@ -1 +1 @@\n-x\n+y\u202e\n" },
    }),
    textOf({ subject: "createPlan", kind: "plan", input: { plan: "1. a\n2. b", name: "n" } }),
  ]).toEqual([
    'Run a command\n$ echo a # b\n> node hidden.js<U+0020>\nIn the directory: lib\nThe agent says:\n> Greet\n> $ ls\nArguments:\n> {\n>   "env": {\n>     "A": "1"\n>   }\n> }',
    'Run a command\nDangerous: `rm` deletes\n$ "rm" "a b"',
    'Run a command\n$ ls\nArguments:\n> {\n>   "command": "ls",\n>   "cwd": "x"\n> }\nWhy it is asked:\n> asks\n> about it',
    "Change a file\nChange of a<U+000A>.js\n@@ -1 +1 @@\n-x\n+y<U+202E>",
    'Use createPlan\nPlan:\n> 1. a\n> 2. b\nArguments:\n> {\n>   "name": "n"\n> }',
  ]);
});

it("has a title of one short line, which says only what it can say whole", () => {
  const title = (more: Partial<Request>) => approvalView(request(more)).title;
  expect([
    title({ input: { command: "x".repeat(200) } }),
    title({ subject: "web_fetch", input: { url: "https://example.org" } }),
    title({ subject: "web_fetch", input: { url: `https://example.org/${"x".repeat(100)}` } }),
    title({ subject: "write", input: { path: "a\u202eb" } }),
    title({ subject: "web_search", input: { query: "node 24" } }),
    title({ server: "s", subject: "do\nit", input: {} }),
  ]).toEqual([
    "Run a command",
    "Fetch https://example.org",
    "Fetch an address",
    "Write a file",
    "Search the web for “node 24”",
    "Use s/do ⏎ it",
  ]);
});

it("shows content that a diff of bytes does not show", () => {
  expect(
    textOf({ subject: "write", input: { path: "a", content: "AAA=", encoding: "base64" }, diff: { path: "a" } }),
  ).toBe('Write a\nChange of a\nArguments:\n> {\n>   "content": "AAA=",\n>   "encoding": "base64"\n> }');
});

it("shows the spaces at the ends of a directory and a path", () => {
  expect([
    textOf({ input: { command: "ls", cwd: " lib " } }),
    textOf({ subject: "write", input: { path: "a ", content: "x" }, diff: { path: "a ", after: "x" } }),
  ]).toEqual([
    "Run a command\n$ ls\nIn the directory: <U+0020>lib<U+0020>",
    "Write a file\nChange of a<U+0020>\n+x\n\\ No newline at end of file",
  ]);
});
