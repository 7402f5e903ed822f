import { describe, expect, it } from "vitest";
import { decodeLines, summarise } from "../testing/decode-lines.ts";

const payload = { dialect: "payload" } as const;
const says = (content: unknown) => ({ type: "assistant", payload: { message: { content } } });
const tool = (subtype: string, toolCall: object) => ({ type: "tool_call", subtype, payload: { toolCall } });
const success = { type: "result", subtype: "success", exitCode: 0, payload: { exitCode: 0, is_error: false } };

describe("a turn under payload", () => {
  it("gives the same events as any other", () => {
    const lines = [
      { type: "system", subtype: "init", payload: { sessionId: "s1", model: "auto" } },
      { type: "user", payload: { prompt: "Hello" } },
      { type: "thinking", subtype: "delta", payload: { content: "hm" } },
      says([{ type: "text", text: "Writing." }]),
      tool("started", { id: "w1", writeFileToolCall: { path: "a.py", contents: "print()" } }),
      tool("completed", { id: "w1", result: { success: true } }),
      tool("started", { id: "s1", shellToolCall: { name: "shell", args: { command: "python a.py" } } }),
      tool("completed", { id: "s1", result: { exitCode: 1, stdout: "out\n", stderr: "err\n" } }),
      says("Done."),
      success,
    ];
    expect(decodeLines(lines, payload)).toEqual([
      { type: "session-ready", sessionId: "s1", model: "auto" },
      { type: "thinking-start", blockId: "thinking-1" },
      { type: "thinking-delta", blockId: "thinking-1", text: "hm" },
      { type: "thinking-end", blockId: "thinking-1" },
      { type: "text-start", blockId: "text-2" },
      { type: "text-delta", blockId: "text-2", text: "Writing." },
      { type: "text-end", blockId: "text-2" },
      {
        type: "tool-call",
        callId: "w1",
        name: "writeFile",
        kind: "write",
        input: { path: "a.py", contents: "print()" },
        owner: "agent",
      },
      { type: "tool-result", callId: "w1", status: "ok", output: "" },
      {
        type: "tool-call",
        callId: "s1",
        name: "shell",
        kind: "shell",
        input: { command: "python a.py" },
        owner: "agent",
      },
      { type: "tool-result", callId: "s1", status: "error", output: "out\n\nerr\n", exitCode: 1 },
      { type: "text-start", blockId: "text-3" },
      { type: "text-delta", blockId: "text-3", text: "Done." },
      { type: "text-end", blockId: "text-3" },
      { type: "turn-end", outcome: { kind: "completed" } },
    ]);
  });

  it("wraps a line that is no event as raw and goes on", () => {
    expect(decodeLines(["oops", '{"type":', says("ok"), success], payload).slice(0, 2)).toEqual([
      { type: "unknown", source: "payload", label: "raw", value: { type: "raw", data: "oops" } },
      { type: "unknown", source: "payload", label: "raw", value: { type: "raw", data: '{"type":' } },
    ]);
  });

  it("keeps raw events as they came", () => {
    expect(summarise([{ type: "raw", data: "x" }, success], payload).unknown).toEqual({ raw: 1 });
  });

  it("makes up the start of a call that only completes", () => {
    const { tools } = summarise(
      [tool("completed", { id: "x", result: { exitCode: 0, stdout: "hi", stderr: "" } }), success],
      payload,
    );
    expect(tools).toMatchObject([{ callId: "x", name: "unknown", status: "ok", output: "hi", exitCode: 0 }]);
  });

  it.each([
    [
      "an error result",
      [{ type: "result", subtype: "error", exitCode: 1, payload: { exitCode: 1, is_error: true } }],
      "The agent ended with exit code 1",
    ],
    [
      "a failing exit code",
      [{ type: "result", subtype: "success", payload: { exitCode: 3 } }],
      "The agent ended with exit code 3",
    ],
    ["an error event before the end", [{ type: "error", message: "it broke" }], "it broke"],
    [
      "an error event before an error result",
      [
        { type: "error", message: "it broke" },
        { type: "result", subtype: "error", payload: {} },
      ],
      "it broke",
    ],
  ])("fails with %s", (_name, lines, message) => {
    expect(summarise(lines, payload).outcome).toMatchObject({
      kind: "failed",
      error: { code: "upstream-error", message },
    });
  });

  it("fails without a result", () => {
    expect(summarise([says("half")], payload).outcome).toMatchObject({ kind: "failed", error: { code: "no-result" } });
  });
});
