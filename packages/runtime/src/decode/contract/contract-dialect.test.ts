import { describe, expect, it } from "vitest";
import { decodeLines, summarise } from "../testing/decode-lines.ts";

const contract = { dialect: "contract" } as const;
const says = (content: string) => ({ type: "assistant_delta", data: { content } });
const done = { type: "done", data: { finishReason: "stop" } };

describe("a turn of a contract CLI", () => {
  it("gives the same events as any other", () => {
    const lines = [
      { type: "protocol", data: { version: "1.0" } },
      says("Hel"),
      says("lo"),
      { type: "tool_call", data: { name: "exec", args: { command: "pwd" } } },
      { type: "usage", data: { promptTokens: 123, completionTokens: 456 } },
      done,
    ];
    expect(decodeLines(lines, contract)).toEqual([
      { type: "text-start", blockId: "text-1" },
      { type: "text-delta", blockId: "text-1", text: "Hel" },
      { type: "text-delta", blockId: "text-1", text: "lo" },
      { type: "text-end", blockId: "text-1" },
      { type: "tool-call", callId: "call-1", name: "exec", kind: "other", input: { command: "pwd" }, owner: "gateway" },
      { type: "usage", usage: { input: 123, output: 456 } },
      {
        type: "tool-result",
        callId: "call-1",
        status: "interrupted",
        output: "The turn ended before this call had a result.",
      },
      { type: "turn-end", outcome: { kind: "completed" } },
    ]);
  });

  it("may come in sentinel frames over many lines", () => {
    const lines = [
      "__JSON_START__",
      JSON.stringify(says("Hi"), null, 2),
      "__JSON_END__",
      "__JSON_START__",
      JSON.stringify(done),
      "__JSON_END__",
    ];
    expect(summarise(lines, contract)).toMatchObject({ segments: ["Hi"], outcome: { kind: "completed" } });
  });

  it.each([
    ["flat", { type: "tool_call", data: { id: "x", name: "exec", args: { command: "pwd" } } }],
    [
      "nested with arguments",
      { type: "tool_call", call_id: "x", tool_call: { name: "exec", arguments: '{"command":"pwd"}' } },
    ],
    ["nested with args", { type: "tool_call", call_id: "x", tool_call: { name: "exec", args: { command: "pwd" } } }],
    [
      "nested in data",
      { type: "tool_call", data: { tool_call: { id: "x", name: "exec", arguments: { command: "pwd" } } } },
    ],
  ])("may ask for a tool in the %s shape", (_name, line) => {
    expect(summarise([line, done], contract).tools).toMatchObject([
      { callId: "x", name: "exec", input: { command: "pwd" } },
    ]);
  });

  it("leaves out the calls that the official CLI runs itself", () => {
    const own = {
      type: "tool_call",
      subtype: "started",
      call_id: "x",
      tool_call: { shellToolCall: { args: { command: "ls" } } },
    };
    expect(summarise([own, done], contract).tools).toEqual([]);
  });

  it("leaves out annotations", () => {
    const lines = [
      { type: "system" },
      { type: "user", message: {} },
      { type: "thinking", text: "hm" },
      { type: "interaction_query" },
      says("ok"),
      done,
    ];
    expect(decodeLines(lines, contract).map(({ type }) => type)).toEqual([
      "text-start",
      "text-delta",
      "text-end",
      "turn-end",
    ]);
  });

  it("does not say twice what an assistant event repeats", () => {
    const whole = { type: "assistant", message: { content: [{ type: "text", text: "Hello" }] } };
    expect(summarise([says("Hel"), says("lo"), whole, done], contract).segments).toEqual(["Hello"]);
    expect(summarise([whole, done], contract).segments).toEqual(["Hello"]);
  });

  it("keeps equal deltas apart from recaps", () => {
    expect(summarise([says("ha"), says("ha"), done], contract).segments).toEqual(["haha"]);
  });

  it.each([
    ["done", [says("ok"), done]],
    ["a result", [says("ok"), { type: "result", subtype: "success", is_error: false, result: "ok" }]],
    ["the end of the stream after something was said", [says("ok")]],
  ])("completes with %s", (_name, lines) => {
    expect(summarise(lines, contract)).toMatchObject({ segments: ["ok"], outcome: { kind: "completed" } });
  });

  it.each([
    ["ends without a word", [], "no-result"],
    ["speaks another version", [{ type: "protocol", data: { version: "2.0" } }, says("hi"), done], "protocol-drift"],
    ["sends a line that is no JSON", ["oops", says("hi"), done], "protocol-violation"],
    ["sends broken JSON", ['{"type":"assistant_delta","data":', done], "protocol-violation"],
    ["leaves out the data", [{ type: "assistant_delta" }, done], "protocol-violation"],
    ["leaves out the text", [{ type: "assistant_delta", data: {} }, done], "protocol-violation"],
    ["leaves out the tool's name", [{ type: "tool_call", data: { args: {} } }, done], "protocol-violation"],
    [
      "sends arguments that are no object",
      [{ type: "tool_call", data: { name: "exec", args: [1] } }, done],
      "protocol-violation",
    ],
    ["leaves out the type", [{ data: {} }, done], "protocol-violation"],
    [
      "reports an auth error",
      [{ type: "error", data: { code: "MODEL_AUTH_ERROR", message: "token expired" } }, done],
      "not-logged-in",
    ],
    ["reports some error", [{ type: "error", data: { message: "boom" } }, done], "upstream-error"],
    ["ends with an error result", [{ type: "result", is_error: true, result: "boom" }], "upstream-error"],
  ])("fails when it %s", (_name, lines, code) => {
    expect(summarise(lines, contract).outcome).toMatchObject({ kind: "failed", error: { code } });
  });

  it("is over once it failed: nothing that follows is believed", () => {
    expect(summarise(["oops", says("trust me"), done], contract).segments).toEqual([]);
  });

  it("counts a well-formed event of a new type", () => {
    expect(summarise([{ type: "heartbeat", data: {} }, says("ok"), done], contract).unknown).toEqual({ heartbeat: 1 });
  });
});
