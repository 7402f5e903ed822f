import { describe, expect, it } from "vitest";
import {
  type AgentEvent,
  type AgentEventOf,
  agentEventSchema,
  laneNames,
  noticeKinds,
  ownerNames,
  toolKinds,
} from "./agent-event.ts";

/** One of each, with every field it can have. A new type of event does not compile until it has a sample here. */
const fullest: { readonly [Type in AgentEvent["type"]]: AgentEventOf<Type> } = {
  "turn-start": {
    type: "turn-start",
    turnId: "t1",
    lane: "cli",
    model: "auto",
    workspace: "/demo",
    prompt: "Say hello",
  },
  "session-ready": { type: "session-ready", sessionId: "u1", model: "Auto", workspace: "/demo", version: "1.2.3" },
  "text-start": { type: "text-start", blockId: "text-1" },
  "text-delta": { type: "text-delta", blockId: "text-1", text: "Grüße 👋🏽\n" },
  "text-end": { type: "text-end", blockId: "text-1" },
  "thinking-start": { type: "thinking-start", blockId: "thinking-2" },
  "thinking-delta": { type: "thinking-delta", blockId: "thinking-2", text: "Hm." },
  "thinking-end": { type: "thinking-end", blockId: "thinking-2", durationMs: 12.5 },
  "tool-call": {
    type: "tool-call",
    callId: "c1",
    name: "search",
    kind: "mcp",
    server: "library",
    input: { words: ["a", { b: null }] },
    owner: "agent",
    description: "look it up",
    parentCallId: "c0",
  },
  "tool-output": { type: "tool-output", callId: "c1", text: "one line\n" },
  "tool-result": {
    type: "tool-result",
    callId: "c1",
    status: "error",
    output: "no such file",
    exitCode: 2,
    diff: { path: "a.txt", before: "a\n", after: "b\n", unified: "-a\n+b\n" },
    durationMs: 3,
  },
  question: {
    type: "question",
    requestId: "q1",
    callId: "c1",
    title: "Which?",
    questions: [{ id: "1", prompt: "Which one?", options: [{ id: "a", label: "The first" }], allowMultiple: false }],
  },
  "question-answer": {
    type: "question-answer",
    requestId: "q1",
    outcome: "answered",
    answers: [{ questionId: "1", optionIds: ["a"], text: "and more" }],
    reason: "it was asked",
  },
  plan: { type: "plan", callId: "c1", name: "Move it", overview: "in two steps", text: "1. Lift\n2. Drop" },
  todos: {
    type: "todos",
    callId: "c1",
    items: [{ id: "1", content: "Lift", status: "in-progress" }],
    merge: true,
  },
  "approval-request": {
    type: "approval-request",
    requestId: "q2",
    callId: "c1",
    subject: "webFetch",
    input: { url: "https://example.com" },
  },
  "approval-answer": {
    type: "approval-answer",
    requestId: "q2",
    decision: "rejected",
    by: "policy",
    reason: "not on the list",
  },
  notice: { type: "notice", kind: "retry", message: "Trying again", detail: { attempt: 2 } },
  usage: {
    type: "usage",
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 5, cost: 0.25 },
    context: { used: 6, size: 7 },
  },
  "turn-end": {
    type: "turn-end",
    outcome: {
      kind: "failed",
      error: { code: "stalled", message: "Nothing came", retryable: true, fix: "Try again.", upstream: "…" },
    },
  },
  unknown: { type: "unknown", source: "stream-json", label: "brand_new", value: [1, "two", null] },
};

const samples = Object.entries(fullest);

/** The required fields of an event besides its type; all others can be omitted. */
const required: Readonly<Record<AgentEvent["type"], readonly string[]>> = {
  "turn-start": ["turnId", "lane"],
  "session-ready": [],
  "text-start": ["blockId"],
  "text-delta": ["blockId", "text"],
  "text-end": ["blockId"],
  "thinking-start": ["blockId"],
  "thinking-delta": ["blockId", "text"],
  "thinking-end": ["blockId"],
  "tool-call": ["callId", "name", "kind", "input", "owner"],
  "tool-output": ["callId", "text"],
  "tool-result": ["callId", "status", "output"],
  question: ["requestId", "questions"],
  "question-answer": ["requestId", "outcome"],
  plan: ["text"],
  todos: ["items", "merge"],
  "approval-request": ["requestId", "subject", "input"],
  "approval-answer": ["requestId", "decision", "by"],
  notice: ["kind", "message"],
  usage: ["usage"],
  "turn-end": ["outcome"],
  unknown: ["source", "label", "value"],
};

const fieldsThatMatter = samples.flatMap(([type, event]) =>
  Object.keys(event).map((field) => {
    const { [field]: _left, ...rest } = event as Readonly<Record<string, unknown>>;
    const needed = field === "type" || required[type as AgentEvent["type"]].includes(field);
    return { type, field, rest, needed };
  }),
);

describe("the event schema", () => {
  it.each(samples)("accepts %s with all of its fields, and gives it back unchanged", (_type, event) => {
    expect(agentEventSchema.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it.each(fieldsThatMatter.filter(({ needed }) => needed))("rejects $type without its $field", ({ rest }) => {
    expect(agentEventSchema.safeParse(rest).success).toBe(false);
  });

  it.each(fieldsThatMatter.filter(({ needed }) => !needed))("accepts $type without its $field", ({ rest }) => {
    expect(agentEventSchema.parse(rest)).toEqual(rest);
  });

  it.each([
    ["a type nobody has named", { type: "text" }],
    ["no event at all", null],
    ["a list of events", [fullest["text-start"]]],
    ["a lane nobody has named", { ...fullest["turn-start"], lane: "carrier-pigeon" }],
    ["a kind of tool nobody has named", { ...fullest["tool-call"], kind: "hammer" }],
    ["an owner nobody has named", { ...fullest["tool-call"], owner: "nobody" }],
    ["a status nobody has named", { ...fullest["tool-result"], status: "fine" }],
    ["a kind of notice nobody has named", { ...fullest.notice, kind: "gossip" }],
    ["an outcome nobody has named", { type: "turn-end", outcome: { kind: "finished" } }],
    ["a failure that does not say why", { type: "turn-end", outcome: { kind: "failed" } }],
    [
      "a failure with a code outside the catalogue",
      { type: "turn-end", outcome: { kind: "failed", error: { code: "oops", message: "", retryable: true, fix: "" } } },
    ],
    ["a text that is a number", { ...fullest["text-delta"], text: 7 }],
    ["a time that is a text", { ...fullest["thinking-end"], durationMs: "12" }],
    ["half a token", { type: "usage", usage: { input: 0.5 } }],
    ["fewer than no tokens", { type: "usage", usage: { output: -1 } }],
    ["a todo without an id", { ...fullest.todos, items: [{ content: "Lift", status: "pending" }] }],
  ])("rejects %s", (_what, event) => {
    expect(agentEventSchema.safeParse(event).success).toBe(false);
  });

  it("drops a field it does not know, so that a newer writer does not break an older reader", () => {
    expect(agentEventSchema.parse({ type: "text-end", blockId: "b", mood: "good" })).toEqual({
      type: "text-end",
      blockId: "b",
    });
  });

  it("accepts every lane, owner, kind of tool and kind of notice it lists", () => {
    const events = [
      ...laneNames.map((lane) => ({ ...fullest["turn-start"], lane })),
      ...ownerNames.map((owner) => ({ ...fullest["tool-call"], owner })),
      ...toolKinds.map((kind) => ({ ...fullest["tool-call"], kind })),
      ...noticeKinds.map((kind) => ({ ...fullest.notice, kind })),
    ];
    expect(events.map((event) => agentEventSchema.parse(event))).toEqual(events);
  });
});
