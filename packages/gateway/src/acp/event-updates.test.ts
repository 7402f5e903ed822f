import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { type AgentEvent, agentEventSchema, type EventEnvelope } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { EventUpdates } from "./event-updates.ts";

function envelopes(events: readonly AgentEvent[], turnId = "t"): readonly EventEnvelope[] {
  return events.map((event, index) => ({ sessionId: "s", seq: index + 1, turnId, at: index, event }));
}

function mapperOf({ isOwn = false, takesNotices = false } = {}): EventUpdates {
  return new EventUpdates({ workspace: "/w", takesNotices, isOwnTurn: () => isOwn });
}

function updatesOf(events: readonly AgentEvent[], options = {}): readonly SessionUpdate[] {
  return mapperOf(options).take(envelopes(events));
}

const text = (value: string) => ({ type: "text", text: value });
const start: AgentEvent = { type: "turn-start", turnId: "t", lane: "sim", prompt: "Do it" };
const call: AgentEvent = {
  type: "tool-call",
  callId: "c",
  name: "exec",
  kind: "shell",
  input: { command: "npm test" },
  owner: "gateway",
};
const asked: AgentEvent = { type: "approval-request", requestId: "r", callId: "c", subject: "exec", input: {} };
const failed: AgentEvent = {
  type: "turn-end",
  outcome: { kind: "failed", error: { code: "stalled", message: "It stalled", retryable: true, fix: "Try again." } },
};

/** One or more events of every type, with the updates for a client that sent another prompt. */
const cases: [event: AgentEvent, updates: readonly unknown[], before?: readonly AgentEvent[]][] = [
  [start, [{ sessionUpdate: "user_message_chunk", content: text("Do it"), messageId: "t" }]],
  [
    { ...start, images: [{ name: "a.png", mediaType: "image/png" }] },
    [{ sessionUpdate: "user_message_chunk", content: text("Do it\n[image: a.png]"), messageId: "t" }],
  ],
  [{ type: "session-ready", sessionId: "u" }, []],
  [{ type: "text-start", blockId: "b" }, []],
  [
    { type: "text-delta", blockId: "b", text: "Hello" },
    [{ sessionUpdate: "agent_message_chunk", content: text("Hello"), messageId: "t/b" }],
  ],
  [{ type: "text-end", blockId: "b" }, []],
  [{ type: "thinking-start", blockId: "k" }, []],
  [
    { type: "thinking-delta", blockId: "k", text: "Hm" },
    [{ sessionUpdate: "agent_thought_chunk", content: text("Hm"), messageId: "t/k" }],
  ],
  [{ type: "thinking-end", blockId: "k" }, []],
  [
    call,
    [
      {
        sessionUpdate: "tool_call",
        toolCallId: "t/c",
        title: "`npm test`",
        name: "exec",
        kind: "execute",
        status: "in_progress",
        rawInput: { command: "npm test" },
        locations: [],
      },
    ],
  ],
  [
    { type: "tool-output", callId: "c", text: "ok 1\n" },
    [{ sessionUpdate: "tool_call_update", toolCallId: "t/c", content: [{ type: "content", content: text("ok 1\n") }] }],
    [call],
  ],
  [
    { type: "tool-result", callId: "c", status: "ok", output: "fine", exitCode: 0 },
    [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "t/c",
        status: "completed",
        content: [{ type: "content", content: text("fine") }],
        rawOutput: { status: "ok", output: "fine", exitCode: 0 },
      },
    ],
    [call],
  ],
  [
    {
      type: "tool-result",
      callId: "c",
      status: "rejected",
      output: "",
      diff: { path: "a.txt", unified: "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n" },
    },
    [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "t/c",
        status: "failed",
        content: [{ type: "diff", path: "/w/a.txt", oldText: "one\ntwo\n", newText: "one\nthree\n" }],
        locations: [{ path: "/w/a.txt" }],
      },
    ],
    [call],
  ],
  [{ type: "question", requestId: "q", questions: [] }, []],
  [{ type: "question-answer", requestId: "q", outcome: "skipped" }, []],
  [
    { type: "plan", callId: "p", name: "Fix it", overview: "Small.", text: "1. Look" },
    [{ sessionUpdate: "agent_message_chunk", content: text("# Fix it\n\nSmall.\n\n1. Look"), messageId: "t/plan/p" }],
  ],
  [
    { type: "todos", merge: true, items: [{ id: "2", content: "B", status: "cancelled" }] },
    [{ sessionUpdate: "plan", entries: [{ content: "A", priority: "medium", status: "in_progress" }] }],
    [
      {
        type: "todos",
        merge: false,
        items: [
          { id: "1", content: "A", status: "in-progress" },
          { id: "2", content: "B", status: "pending" },
        ],
      },
    ],
  ],
  [asked, [{ sessionUpdate: "tool_call_update", toolCallId: "t/c", status: "pending" }], [call]],
  [asked, []],
  [
    { type: "approval-answer", requestId: "r", decision: "approved", by: "person" },
    [{ sessionUpdate: "tool_call_update", toolCallId: "t/c", status: "in_progress" }],
    [call, asked],
  ],
  [{ type: "approval-answer", requestId: "r", decision: "rejected", by: "person" }, [], [call, asked]],
  [
    { type: "notice", kind: "retry", message: "Trying again" },
    [{ sessionUpdate: "agent_thought_chunk", content: text("Trying again\n"), messageId: "t/notices" }],
  ],
  [
    { type: "notice", kind: "steer", message: "Not that file" },
    [{ sessionUpdate: "user_message_chunk", content: text("Not that file") }],
  ],
  [{ type: "notice", kind: "steer", message: "Not that file", detail: { isHeard: true } }, []],
  [{ type: "usage", usage: { input: 1 } }, []],
  [{ type: "turn-end", outcome: { kind: "completed" } }, []],
  [
    failed,
    [
      {
        sessionUpdate: "agent_thought_chunk",
        content: text("The turn failed: It stalled. Try again.\n"),
        messageId: "t/notices",
      },
    ],
  ],
  [{ type: "unknown", source: "cli", label: "new", value: {} }, []],
];

describe("the updates of an event", () => {
  it("are decided for every type of event there is", () => {
    const types = agentEventSchema.options.map(({ shape }) => shape.type.value).sort();
    expect([...new Set(cases.map(([event]) => event.type))].sort()).toEqual(types);
  });

  it.each(cases.map(([event, updates, before = []]) => ({ type: event.type, event, updates, before })))(
    "are sent as ACP has words for them: $type",
    ({ event, updates, before }) => {
      const mapper = mapperOf();
      mapper.take(envelopes(before));
      expect(mapper.take(envelopes([event]))).toEqual(updates);
    },
  );

  it("leave out the prompt and the failure of the client's own turn", () => {
    expect(updatesOf([start, failed], { isOwn: true })).toEqual([]);
  });

  it("are notices where the client shows such", () => {
    expect(
      updatesOf([{ type: "notice", kind: "error", message: "No server" }, failed], { takesNotices: true }),
    ).toEqual([
      { sessionUpdate: "notice", severity: "error", title: "No server" },
      { sessionUpdate: "notice", severity: "error", title: "The turn failed: It stalled. Try again." },
    ]);
  });
});

describe("a batch of events", () => {
  const delta = (blockId: string, value: string): AgentEvent => ({ type: "text-delta", blockId, text: value });

  it("joins the deltas of one block, and of no other", () => {
    expect(updatesOf([delta("a", "1"), delta("a", "2"), delta("b", "3")])).toEqual([
      { sessionUpdate: "agent_message_chunk", content: text("12"), messageId: "t/a" },
      { sessionUpdate: "agent_message_chunk", content: text("3"), messageId: "t/b" },
    ]);
  });

  it("shows the output of a call once, as it stands then, and not at all beside its result", () => {
    const output = (value: string): AgentEvent => ({ type: "tool-output", callId: "c", text: value });
    const mapper = mapperOf();
    mapper.take(envelopes([call, output("1\n")]));
    expect(mapper.take(envelopes([output("2\n"), output("3\n")]))).toEqual([
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "t/c",
        content: [{ type: "content", content: text("1\n2\n3\n") }],
      },
    ]);
    const result: AgentEvent = { type: "tool-result", callId: "c", status: "interrupted", output: "1\n2\n3\n" };
    expect(mapper.take(envelopes([output("4\n"), result]))).toMatchObject([{ status: "failed" }]);
  });
});
