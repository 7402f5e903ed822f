import { describe, expect, it } from "vitest";
import { doorHeaders } from "./door-headers.ts";

describe("a client that offers tools in all its conversations", () => {
  it.each([
    ["Claude Code", "claude-cli/2.1.325 (external, cli)"],
    ["Codex", "codex-tui/0.166.0 (Debian 12.0.0; x86_64) xterm-256color (codex-tui; 0.166.0)"],
    ["Codex", "codex_exec/0.166.0 (Debian 12.0.0; x86_64)"],
    ["OpenCode", "opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14"],
    ["Droid", "factory-cli/0.215.0"],
    ["Qwen Code", "QwenCode/0.24.4 (linux; x64)"],
    ["Cline", "Cline/3.0.65"],
  ])("is known by its user agent: %s, %s", (codingClient, agent) => {
    expect(doorHeaders({ "user-agent": agent }).codingClient).toBe(codingClient);
  });

  it("is known by the header that only it sends", () => {
    expect(doorHeaders({ "x-claude-code-session-id": "s" }).codingClient).toBe("Claude Code");
  });

  it.each(["OpenAI/JS 7.15.0", "python-requests/2.32", "Mozilla/5.0 (like opencode)", "curl/8.0", "declined/1.0"])(
    "is not any other: %s",
    (agent) => {
      expect(doorHeaders({ "user-agent": agent }).codingClient).toBe(undefined);
    },
  );
});

describe("a side call", () => {
  const codex = (turn: object) => doorHeaders({ "x-codex-turn-metadata": JSON.stringify(turn) }).isSideCall;

  it("may be named as such by any client", () => {
    const named = ["true", " True ", "false", ""].map((said) => doorHeaders({ "x-caret-side-call": said }).isSideCall);
    expect(named).toEqual([true, true, undefined, undefined]);
  });

  it("is what Codex says it is", () => {
    expect({
      title: codex({ thread_source: "thread_title", request_kind: "turn" }),
      compaction: codex({ thread_source: "user", request_kind: "compaction" }),
      turn: codex({ thread_source: "user", request_kind: "turn" }),
      other: codex({ thread_source: 7 }),
      noJson: doorHeaders({ "x-codex-turn-metadata": "{" }).isSideCall,
    }).toEqual({ title: true, compaction: true, turn: undefined, other: undefined, noJson: undefined });
  });
});
