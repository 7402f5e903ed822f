import type { AgentEvent } from "@caret/protocol";
import { expect, it } from "vitest";
import { activityText } from "./activity-text.ts";

const call = { type: "tool-call", callId: "c1", name: "shell", kind: "shell", owner: "agent" } as const;
const result = { type: "tool-result", callId: "c1", output: "no such file\nor directory" } as const;
const notice = { type: "notice", message: "gpt-5 is not available: going on with auto" } as const;

it.each<[string, AgentEvent, string | undefined]>([
  ["shows the command of a shell call", { ...call, input: { command: "npm test" } }, "→ shell: npm test\n"],
  ["puts a script of several lines on one", { ...call, input: { command: "a &&\n  b" } }, "→ shell: a && b\n"],
  ["names the server of an MCP tool", { ...call, name: "find", server: "docs", input: {} }, "→ docs/find\n"],
  ["takes a plain text as what the call is about", { ...call, input: "a.txt" }, "→ shell: a.txt\n"],
  ["copes with a call without arguments", { ...call, input: null }, "→ shell\n"],
  [
    "shows all arguments when none of them says more",
    { ...call, input: { command: " ", depth: 3 } },
    `→ shell: {"command":" ","depth":3}\n`,
  ],
  ["shortens what is long", { ...call, input: { path: "x".repeat(9999) } }, `→ shell: ${"x".repeat(199)}…\n`],
  ["leaves a call of the client alone", { ...call, owner: "client", input: { command: "ls" } }, undefined],
  ["shows why a call failed", { ...result, status: "error" }, "  error: no such file or directory\n"],
  ["shows that a call was refused", { ...result, output: "", status: "rejected" }, "  rejected: no reason given\n"],
  ["says nothing of a call that went well", { ...result, status: "ok" }, undefined],
  ["shows that another model answers", { ...notice, kind: "model-fallback" }, `[${notice.message}]\n`],
  ["keeps retries to itself", { ...notice, kind: "retry" }, undefined],
  ["leaves the answer's text alone", { type: "text-delta", blockId: "b", text: "hello" }, undefined],
])("%s", (_name, event, text) => {
  expect(activityText(event)).toBe(text);
});
