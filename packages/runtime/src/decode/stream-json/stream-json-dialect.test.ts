import { promptTokens } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { decodeLines, summarise } from "../testing/decode-lines.ts";
import {
  completed,
  delta,
  final,
  flush,
  init,
  read,
  result,
  retries,
  started,
  thinks,
  thought,
} from "../testing/stream-json-lines.ts";

const usage = { inputTokens: 1397, outputTokens: 8, cacheReadTokens: 9856, cacheWriteTokens: 2 };
const counts = { input: 1397, output: 8, cacheRead: 9856, cacheWrite: 2 };

describe("a whole turn", () => {
  it("is emitted block by block, call by call, and ends once", () => {
    const [start, end] = read("/work/demo/a.txt");
    const lines = [
      init,
      thinks("Let me"),
      thinks(" look."),
      thought(),
      delta("Rea"),
      delta("ding."),
      flush("Reading."),
      started("c1", start),
      completed("c1", end),
      delta("Done."),
      final("Done."),
      result("Reading.Done.", { usage }),
    ];
    expect(decodeLines(lines)).toEqual([
      {
        type: "session-ready",
        sessionId: "0b5e7c1a-9f5e-4a53-8a51-6d1f7b1f0001",
        model: "Auto",
        workspace: "/work/demo",
      },
      { type: "thinking-start", blockId: "thinking-1" },
      { type: "thinking-delta", blockId: "thinking-1", text: "Let me" },
      { type: "thinking-delta", blockId: "thinking-1", text: " look." },
      { type: "thinking-end", blockId: "thinking-1", durationMs: 14 },
      { type: "text-start", blockId: "text-2" },
      { type: "text-delta", blockId: "text-2", text: "Rea" },
      { type: "text-delta", blockId: "text-2", text: "ding." },
      { type: "text-end", blockId: "text-2" },
      {
        type: "tool-call",
        callId: "c1",
        name: "read",
        kind: "read",
        input: { path: "/work/demo/a.txt" },
        owner: "agent",
      },
      { type: "tool-result", callId: "c1", status: "ok", output: "hello\n", durationMs: 50 },
      { type: "text-start", blockId: "text-3" },
      { type: "text-delta", blockId: "text-3", text: "Done." },
      { type: "text-end", blockId: "text-3" },
      { type: "usage", usage: counts },
      { type: "turn-end", outcome: { kind: "completed" } },
    ]);
  });
});

describe("thinking", () => {
  it("comes in blocks of true deltas", () => {
    const lines = [thinks("first "), thinks("block"), thought(), thinks("second block")];
    expect(summarise(lines).thinking).toEqual(["first block", "second block"]);
  });

  it("is not mistaken for a recap when it begins like what was shown", () => {
    expect(summarise([thinks("Analyzing"), thinks("Analyzing the problem")]).thinking).toEqual([
      "AnalyzingAnalyzing the problem",
    ]);
  });

  it("opens no block for an empty delta or a completion alone", () => {
    expect(decodeLines([thinks(""), thought(), result("ok")]).map(({ type }) => type)).toEqual([
      "text-start",
      "text-delta",
      "text-end",
      "turn-end",
    ]);
  });
});

describe("usage", () => {
  it("is what the result reports, and prompt tokens include the cache", () => {
    const turn = summarise([final("ok"), result("ok", { usage })]);
    expect(turn.usage).toEqual(counts);
    expect(promptTokens(counts)).toBe(11_255);
  });

  it("is absent when nobody reports it", () => {
    expect(summarise([final("ok"), result("ok")]).usage).toBeUndefined();
  });

  it.each([
    [
      "snake case",
      {
        usage: {
          input_tokens: 1,
          output_tokens: 2,
          cached_input_tokens: 3,
          cache_creation_input_tokens: 4,
          reasoning_tokens: 5,
        },
      },
      { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 5 },
    ],
    ["the top level", { inputTokens: 1, outputTokens: 2 }, { input: 1, output: 2 }],
    ["strings", { usage: { inputTokens: "1", outputTokens: "2" } }, { input: 1, output: 2 }],
    ["a cost", { usage: { inputTokens: 1 }, total_cost: 0.5 }, { input: 1, cost: 0.5 }],
  ])("is read from %s", (_name, fields, expected) => {
    expect(summarise([result("ok", fields)]).usage).toEqual(expected);
  });

  it.each([[{ inputTokens: -1 }], [{ inputTokens: "many" }], [{ inputTokens: 1.5 }], ["none"], [null], [[]]])(
    "is absent when %j is reported",
    (bad) => {
      expect(summarise([result("ok", { usage: bad })]).usage).toBeUndefined();
    },
  );

  const step = (input: number) => ({ type: "step_finish", part: { tokens: { input, output: 1, cache: { read: 5 } } } });

  it("is the sum of the steps when the result reports none", () => {
    expect(summarise([step(1), step(2), result("ok")]).usage).toEqual({ input: 3, output: 2, cacheRead: 10 });
  });

  it("is the result's alone when steps report, too", () => {
    expect(summarise([step(1), result("ok", { usage })]).usage).toEqual(counts);
  });
});

describe("the end of a turn", () => {
  it("is a failure without a result, whatever was said before", () => {
    const { outcome, segments } = summarise([init, delta("half an ans")]);
    expect(segments).toEqual(["half an ans"]);
    expect(outcome).toEqual({
      kind: "failed",
      error: {
        code: "no-result",
        message: "The agent's output ended without a result",
        retryable: true,
        fix: "Try again; if it happens again, look at the upstream words.",
      },
    });
  });

  it.each([
    ["is_error", result("it broke", { is_error: true }), "it broke"],
    ["its subtype", { ...result("it broke"), subtype: "error" }, "it broke"],
    ["an error string", { type: "result", subtype: "success", error: "it broke" }, "it broke"],
    ["an error object", { type: "result", is_error: true, error: { message: "it broke", code: 7 } }, "it broke"],
    ["a nested error", { type: "result", is_error: true, error: { error: { message: "it broke" } } }, "it broke"],
    ["no words at all", { type: "result", is_error: true }, "The agent reported an error"],
  ])("is a failure when the result says so by %s", (_name, line, message) => {
    expect(summarise([line]).outcome).toMatchObject({ kind: "failed", error: { code: "upstream-error", message } });
    expect(summarise([line]).segments).toEqual([]);
  });

  it("is a failure by an error event when no result follows", () => {
    for (const line of [
      { type: "error", message: "it broke" },
      { type: "error", error: { message: "it broke" } },
      { error: "it broke" },
    ])
      expect(summarise([line]).outcome).toMatchObject({
        kind: "failed",
        error: { code: "upstream-error", message: "it broke" },
      });
  });

  it("is a success with a notice when a result follows an error event", () => {
    const { outcome, notices } = summarise([{ type: "error", message: "hiccup" }, result("ok")]);
    expect({ outcome, notices }).toEqual({
      outcome: { kind: "completed" },
      notices: [{ kind: "error", message: "hiccup" }],
    });
  });

  it("is a failure when an upstream error comes as closing words while a tool runs", () => {
    const [start] = read("/w/a");
    const lines = [started("c1", start), final("Error: T: [resource_exhausted] Error"), result("")];
    expect(summarise(lines, { partial: false }).outcome).toMatchObject({
      kind: "failed",
      error: { code: "upstream-error" },
    });
    expect(
      summarise([final("Error: T: [canceled] is what it printed"), result("")], { partial: false }).outcome,
    ).toEqual({ kind: "completed" });
  });

  it("is the first result", () => {
    expect(summarise([result("ok"), result("no", { is_error: true })]).outcome).toEqual({ kind: "completed" });
  });

  it("is cancelled when the caller says so", () => {
    expect(decodeLines([delta("Hel")], {}, { kind: "cancelled" }).slice(-2)).toEqual([
      { type: "text-end", blockId: "text-1" },
      { type: "turn-end", outcome: { kind: "cancelled" } },
    ]);
  });
});

describe("what else the CLI tells", () => {
  it("becomes notices", () => {
    const lines = [
      {
        type: "connection",
        subtype: "reconnecting",
        session_id: "s",
        timestamp_ms: 1,
        attempt: 2,
        endpoint_url: "https://example.org",
      },
      { type: "retry", subtype: "starting", session_id: "s", attempt: 1, is_resume: true },
      { type: "retry", subtype: "starting", message: "trying once more" },
      {
        type: "system",
        subtype: "task_notification",
        task_id: "t",
        status: "success",
        title: "Tests",
        session_id: "s",
        timestamp_ms: 2,
      },
      { type: "system", subtype: "background_shell_timeout", task_id: "7" },
    ];
    expect(summarise(lines).notices).toEqual([
      {
        kind: "reconnect",
        message: "Connection reconnecting (attempt 2)",
        detail: { subtype: "reconnecting", attempt: 2, endpoint_url: "https://example.org" },
      },
      {
        kind: "retry",
        message: "Retry starting (attempt 1)",
        detail: { subtype: "starting", attempt: 1, is_resume: true },
      },
      { kind: "retry", message: "trying once more", detail: { subtype: "starting", message: "trying once more" } },
      {
        kind: "background-task",
        message: "Tests: success",
        detail: { subtype: "task_notification", task_id: "t", status: "success", title: "Tests" },
      },
      {
        kind: "background-task",
        message: "7: timed out",
        detail: { subtype: "background_shell_timeout", task_id: "7" },
      },
    ]);
  });

  it("says how many commands in the background were stopped, and after how long", () => {
    const stopped = { type: "system", subtype: "background_shell_timeout", aborted_count: 1, timeout_ms: 30_000 };
    expect(decodeLines([init, stopped])[1]).toEqual({
      type: "notice",
      kind: "background-task",
      message: "1 command in the background stopped after 30 s",
      detail: { subtype: "background_shell_timeout", aborted_count: 1, timeout_ms: 30_000 },
    });
  });

  it("names the model without characters that nobody sees", () => {
    const [ready] = decodeLines([{ ...init, model: "Grok 4.7  High Fast\u200b\u200b" }]);
    expect(ready).toMatchObject({ type: "session-ready", model: "Grok 4.7 High Fast" });
  });

  it("does not end the turn: a background task is settled, its notification comes later, then the result", () => {
    const task = {
      taskToolCall: {
        args: { prompt: "p" },
        result: { success: { agentId: "other", isBackground: true, conversationSteps: [] } },
      },
    };
    const events = decodeLines(
      [
        started("c1", task),
        completed("c1", task),
        { type: "system", subtype: "task_notification", task_id: "other", status: "success" },
        final("ok"),
        result("ok"),
      ],
      { partial: false },
    );
    expect(events.map(({ type }) => type)).toEqual([
      "tool-call",
      "tool-result",
      "notice",
      "text-start",
      "text-delta",
      "text-end",
      "turn-end",
    ]);
  });

  it("is flagged when the session changes under it", () => {
    expect(summarise([init, { ...init, session_id: "other" }, result("ok")])).toMatchObject({
      sessionId: "0b5e7c1a-9f5e-4a53-8a51-6d1f7b1f0001",
      notices: [{ kind: "drift" }],
    });
  });

  it("is kept and counted when nobody knows it, sixteen labels apart and the rest together", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => ({ type: `new_event_${index}`, secret: "content" }));
    const { unknown } = summarise([...lines, retries(), result("ok")]);
    expect(Object.keys(unknown)).toHaveLength(17);
    expect(unknown["other"]).toBe(984);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("is kept when its type is %s", (type) => {
    expect(summarise([{ type }, result("ok")]).unknown).toEqual(Object.fromEntries([[type, 1]]));
  });
});
