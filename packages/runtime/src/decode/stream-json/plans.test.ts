import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { decodeLines } from "../testing/decode-lines.ts";
import { answers, asks, completed, delta, init, result, started } from "../testing/stream-json-lines.ts";

const QUERY = "createPlanRequestQuery";
const RESPONSE = "createPlanRequestResponse";
const args = (plan: string, more: object = {}) => ({ plan, name: "Ship it", todos: [], phases: [], ...more });
const accepted = { success: {}, planUri: "" };
const starts = (plan: string, id = "p", more: object = {}) =>
  started(id, { createPlanToolCall: { args: args(plan, more) } });
const ends = (plan: string, id = "p", more: object = {}) =>
  completed(id, { createPlanToolCall: { args: args(plan, more), result: accepted } });
const queries = (plan: string, toolCallId?: string) =>
  asks(QUERY, { args: args(plan), ...(toolCallId === undefined ? {} : { toolCallId }) });
const accepts = answers(QUERY, RESPONSE, { result: accepted });

function plansOf(lines: readonly object[]): readonly AgentEvent[] {
  return decodeLines([init, ...lines, result("")]).filter(({ type }) => type === "plan");
}

const once = [{ type: "plan", callId: "p", text: "# Ship", name: "Ship it" }];

describe("the plan of plan mode", () => {
  it.each([
    ["at the start only", [starts("# Ship"), ends("")]],
    ["at the completion only, without a start", [ends("# Ship")]],
    ["at the completion, after a start without text", [starts(""), ends("# Ship")]],
    ["at the start and again at the completion", [starts("# Ship"), ends("# Ship")]],
    ["in the query only", [queries("# Ship", "p"), accepts]],
    ["in the query, the start and the completion", [queries("# Ship", "p"), accepts, starts("# Ship"), ends("# Ship")]],
    ["in a start that never completes", [starts("# Ship")]],
    ["in a completion that is told twice", [starts(""), ends(""), ends("# Ship")]],
  ])("is shown once when its text stands %s", (_where, lines) => {
    expect(plansOf(lines)).toEqual(once);
  });

  it("is shown once when the query does not name its call, or spells its id otherwise", () => {
    const named = [{ type: "plan", text: "# Ship", name: "Ship it" }];
    const shown = {
      nameless: plansOf([queries("# Ship"), accepts, starts("# Ship"), ends("# Ship")]),
      respelled: plansOf([queries("# Ship", "p\nfc_1"), accepts, starts("# Ship"), ends("# Ship")]),
    };
    expect(shown).toEqual({ nameless: named, respelled: [{ ...named[0], callId: "p\nfc_1" }] });
  });

  it("is shown for each call that makes one, also twice the same", () => {
    const texts = plansOf([starts("# A", "a"), ends("# A", "a"), starts("# A", "b"), ends("# B", "c")]);
    expect(texts).toMatchObject([
      { callId: "a", text: "# A" },
      { callId: "b", text: "# A" },
      { callId: "c", text: "# B" },
    ]);
  });

  it("is shown although the call was refused or failed", () => {
    const refused = completed("p", {
      createPlanToolCall: { args: args("# Ship"), result: { error: { error: "no" } } },
    });
    expect(plansOf([refused])).toEqual(once);
  });

  it("is its steps when it has no text", () => {
    const todos = [
      { id: "1", content: "Build", status: "TODO_STATUS_PENDING" },
      { id: "2", content: "Test" },
    ];
    const phases = [{ name: "First", todos: [{ id: "3", content: "Look" }] }];
    const shown = plansOf([starts("", "p", { todos }), ends("", "p", { todos, phases, overview: "All of it." })]);
    expect(shown).toEqual([
      {
        type: "plan",
        callId: "p",
        text: "First\n- Look\n\n- Build\n- Test",
        name: "Ship it",
        overview: "All of it.",
      },
    ]);
  });

  it("is not made up when there is nothing in it", () => {
    expect(plansOf([starts(""), ends("")])).toEqual([]);
  });

  it("is shown in the payload dialect, too", () => {
    const call = (subtype: string, toolCall: object) => ({ type: "tool_call", subtype, payload: { toolCall } });
    const lines = [
      call("started", { id: "p", createPlanToolCall: { name: "createPlan", args: args("") } }),
      call("completed", { id: "p", createPlanToolCall: { args: args("# Ship") }, result: accepted }),
      { type: "result", subtype: "success", payload: { is_error: false } },
    ];
    expect(decodeLines(lines, { dialect: "payload" }).filter(({ type }) => type === "plan")).toEqual(once);
  });
});

describe("an answer to a query", () => {
  const answersOf = (lines: readonly object[]) =>
    decodeLines([init, ...lines, result("")]).filter(({ type }) => type === "approval-answer");
  const armless: readonly (readonly [string, object])[] = [
    ["no answer at all", { type: "interaction_query", subtype: "response", query_type: QUERY, response: { id: 0 } }],
    ["an empty answer", answers(QUERY, RESPONSE, {})],
    ["an empty result", answers(QUERY, RESPONSE, { result: {} })],
    ["only what stands beside the arms", answers(QUERY, RESPONSE, { result: { planUri: "" } })],
    ["an arm of a later version", answers(QUERY, RESPONSE, { result: { deferred: {} } })],
  ];

  it.each(armless)("with %s is no rejection: the call shows what was decided", (_what, answer) => {
    const rejected = completed("p", { createPlanToolCall: { result: { rejected: { reason: "no" } } } });
    const shown = {
      ran: answersOf([queries("# Ship", "p"), answer, starts("# Ship"), ends("# Ship")]),
      refused: answersOf([queries("# Ship", "p"), answer, starts("# Ship"), rejected]),
      neither: answersOf([queries("# Ship", "p"), answer]),
    };
    const decided = { type: "approval-answer", requestId: "query-0", by: "agent" };
    expect(shown).toEqual({
      ran: [{ ...decided, decision: "approved" }],
      refused: [{ ...decided, decision: "rejected" }],
      neither: [],
    });
  });

  it("without an arm and without a call is kept as unknown", () => {
    const events = decodeLines([init, delta("x"), queries("# Ship"), answers(QUERY, RESPONSE, {}), result("x")]);
    expect(events.flatMap((event) => (event.type === "unknown" ? [event.label] : []))).toEqual([
      "interaction_query:response without arm",
    ]);
  });
});
