import { CaretError, type ModelView, type SessionView } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { diffContent } from "./diff-content.ts";
import { toRequestError } from "./errors.ts";
import { toOfferedServers } from "./mcp-servers.ts";
import { toAnswer } from "./permission-request.ts";
import { promptAnswer } from "./prompt-answer.ts";
import { readPrompt } from "./prompt-content.ts";
import { fromElicitation } from "./question-forms.ts";
import { SessionState } from "./session-state.ts";

const view: SessionView = {
  id: "s",
  title: "",
  workspace: "/w",
  permission: "auto-edits",
  createdAt: 0,
  updatedAt: 0,
  archived: false,
  lastSeq: 0,
  lastLine: "",
  status: { kind: "idle" },
};

function stateWith(models: readonly ModelView[], more: Partial<SessionView> = {}): SessionState {
  const about = { lanes: [], defaultLane: "sim", defaultModel: "auto" } as const;
  return new SessionState({ view: { ...view, ...more }, mode: "agent", about, models });
}

describe("a prompt", () => {
  it("is its blocks in their order, with files by their paths and pictures apart", () => {
    expect(
      readPrompt([
        { type: "text", text: "Compare" },
        { type: "resource_link", name: "a", uri: "file:///w/a%20b.ts" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "resource", resource: { uri: "file:///w/c.ts", text: "let c;" } },
        { type: "resource", resource: { uri: "file:///w/d.png", mimeType: "image/png", blob: "BBBB" } },
        { type: "resource", resource: { uri: "file:///w/d.pdf", mimeType: "application/pdf", blob: "BBBB" } },
        { type: "resource_link", name: "e", uri: "file:///w/100%.txt" },
      ]),
    ).toEqual({
      prompt: 'Compare\n@/w/a b.ts\n<context path="/w/c.ts">\nlet c;\n</context>\n@/w/d.pdf\n@/w/100%.txt',
      images: [
        { mediaType: "image/png", base64: "AAAA" },
        { mediaType: "image/png", base64: "BBBB" },
      ],
    });
  });

  it.each([
    { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" },
    { type: "resource" as const, resource: { uri: "db:d.pdf", mimeType: "application/pdf", blob: "BBBB" } },
  ])("with content that no agent takes is refused: $type", (block) => {
    expect(() => readPrompt([block])).toThrow(expect.objectContaining({ code: "unsupported" }));
  });

  it("ends with a limit's stop reason where Caret has set the limit, and is rejected when the turn failed", () => {
    const failed = (code: "loop-stopped" | "stalled") =>
      ({ kind: "failed", error: new CaretError(code, "It repeats itself").toInfo() }) as const;
    expect(promptAnswer(failed("loop-stopped"), { input: 3, output: 1 })).toEqual({
      stopReason: "max_turn_requests",
      usage: { totalTokens: 4, inputTokens: 3, outputTokens: 1 },
      _meta: { "caret/error": failed("loop-stopped").error },
    });
    expect(() => promptAnswer(failed("stalled"), undefined)).toThrow(expect.objectContaining({ code: "stalled" }));
  });
});

describe("a session", () => {
  it("is not shown as it was once it was shown as it is", () => {
    const state = stateWith([]);
    const titled = { ...view, title: "What is 2 + 3?", lastSeq: 3, updatedAt: 7 };
    const shown = {
      sessionUpdate: "session_info_update",
      title: "What is 2 + 3?",
      updatedAt: new Date(7).toISOString(),
    };
    const older = [view, { ...titled, title: "", lastSeq: 2, updatedAt: 9 }, { ...titled, title: "", updatedAt: 6 }];
    expect([titled, ...older, titled].map((each) => state.update(each))).toEqual([[shown], [], [], [], []]);
  });
});

describe("usage", () => {
  const sized = { id: "big", name: "Big", isDefault: false, variants: [{ id: "big-high", label: "High" }] };

  it("is sent with the model's size, and the session's cost where that is known", () => {
    const models = [{ ...sized, contextTokens: 1000 }];
    expect([
      stateWith(models, { model: "big-high", usage: { cost: 0.5 } }).usageUpdate({
        input: 30,
        cacheRead: 60,
        output: 10,
      }),
      stateWith(models, { model: "big" }).usageUpdate({ input: 1 }),
    ]).toEqual([
      [{ sessionUpdate: "usage_update", used: 100, size: 1000, cost: { amount: 0.5, currency: "USD" } }],
      [{ sessionUpdate: "usage_update", used: 1, size: 1000 }],
    ]);
  });

  it("is not sent with a size that nobody has named", () => {
    expect(stateWith([sized], { model: "big" }).usageUpdate({ input: 1 })).toEqual([]);
  });
});

it("shows the hunks of a diff of which no whole file is known, and the whole file otherwise", () => {
  const unified = "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -9,2 +9,1 @@\n same\n-gone\n";
  expect([
    diffContent({ path: "x", unified }, "/w"),
    diffContent({ path: "/y", after: "new" }, "/w"),
    diffContent({ path: "z", before: "old", after: "new", unified }, "/w"),
  ]).toEqual([
    [
      { type: "diff", path: "/w/x", oldText: "a\n", newText: "b\n" },
      { type: "diff", path: "/w/x", oldText: "same\ngone\n", newText: "same\n" },
    ],
    [{ type: "diff", path: "/y", oldText: null, newText: "new" }],
    [{ type: "diff", path: "/w/z", oldText: "old", newText: "new" }],
  ]);
});

it("approves nothing but by one of its own options", () => {
  const selected = (optionId: string) => toAnswer({ outcome: "selected", optionId });
  expect([
    selected("approve"),
    selected("grant:2"),
    selected("reject"),
    selected("yes"),
    toAnswer({ outcome: "cancelled" }),
  ]).toEqual([
    { decision: "approved" },
    { decision: "approved", grant: "2" },
    { decision: "rejected" },
    { decision: "rejected" },
    { decision: "rejected", reason: "The request was dismissed" },
  ]);
});

it("reads a form with one and with several choices, and a declined one as skipped", () => {
  const field = { prompt: "?", options: [], allowMultiple: false };
  const questions = [
    { ...field, id: "a" },
    { ...field, id: "b", allowMultiple: true },
  ];
  const asked = { type: "question", requestId: "r", questions } as const;
  expect([
    fromElicitation({ action: "accept", content: { a: "1", b: ["2", "3"] } }, asked),
    fromElicitation({ action: "decline" }, asked),
  ]).toEqual([
    {
      answers: [
        { questionId: "a", optionIds: ["1"] },
        { questionId: "b", optionIds: ["2", "3"] },
      ],
    },
    {},
  ]);
});

it("gives the servers of a client names that tools can begin with, each its own", () => {
  const server = { command: "x", args: [], env: [{ name: "A", value: "1" }] };
  const http = { type: "http" as const, name: "web", url: "http://localhost/", headers: [{ name: "K", value: "v" }] };
  expect(
    toOfferedServers([
      { ...server, name: "My (first) tool!" },
      { ...server, name: "my.tool" },
      { ...server, name: "my tool" },
      http,
    ]),
  ).toEqual([
    { name: "My-first-tool", command: "x", args: [], env: { A: "1" } },
    { name: "my-tool", command: "x", args: [], env: { A: "1" } },
    { name: "my-tool-2", command: "x", args: [], env: { A: "1" } },
    { name: "web", url: "http://localhost/", headers: { K: "v" } },
  ]);
});

it("says in the message of an error what to do, in the command's form on this machine", () => {
  const { code, message, data } = toRequestError(new CaretError("session-not-found", "It is gone"), "npx caret");
  expect([code, message, data]).toEqual([
    -32_002,
    "It is gone. List the sessions with `npx caret sessions ls`.",
    {
      code: "session-not-found",
      message: "It is gone",
      retryable: false,
      fix: "List the sessions with `npx caret sessions ls`.",
    },
  ]);
});
