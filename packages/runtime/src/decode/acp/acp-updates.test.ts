import { type AgentEvent, assertWellFormedTurn, CaretError, type JsonObject } from "@caret/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AcpUpdates, createAcpUpdates } from "./acp-updates.ts";

const errorIn = (text: string): CaretError | undefined =>
  text.startsWith("\n\nError: ") ? new CaretError("upstream-error", text.trim()) : undefined;

const chunk = (text: string, sessionUpdate = "agent_message_chunk"): JsonObject => ({
  sessionUpdate,
  content: { type: "text", text },
});

/** The events of a turn with these updates, which the agent then ends well. */
function eventsOf(updates: readonly JsonObject[], end = (decoder: AcpUpdates) => decoder.answered(undefined)) {
  const decoder = createAcpUpdates({ errorIn });
  const decoded = [...updates.flatMap((update) => decoder.update(update)), ...end(decoder)];
  const events: readonly AgentEvent[] = decoded.map(({ event }) => event);
  assertWellFormedTurn([{ type: "turn-start", turnId: "t", lane: "acp" }, ...events]);
  return events;
}

describe("the updates of an ACP session", () => {
  it("are text and thinking in blocks", () => {
    const updates = [chunk("Hm.", "agent_thought_chunk"), chunk("Yes"), chunk(".")];
    expect(eventsOf(updates).map(({ type }) => type)).toEqual([
      ...["thinking-start", "thinking-delta", "thinking-end"],
      ...["text-start", "text-delta", "text-delta", "text-end", "turn-end"],
    ]);
  });

  it("end with a failure when an error is all that was said, and keep its words", () => {
    const usage = { sessionUpdate: "usage_update", used: 1, size: 2 };
    for (const before of [[], [chunk("Hm.", "agent_thought_chunk")]])
      expect(
        eventsOf([...before, chunk("\n\nError: gone"), usage]).filter(({ type }) =>
          ["notice", "turn-end"].includes(type),
        ),
      ).toEqual([
        expect.objectContaining({ type: "notice", kind: "error", message: "Error: gone" }),
        expect.objectContaining({ outcome: expect.objectContaining({ kind: "failed" }) }),
      ]);
  });

  it.each([
    ["words before it", [chunk("It prints:")], []],
    ["words after it", [], [chunk(" fishing")]],
    ["a call before it", [{ sessionUpdate: "tool_call", toolCallId: "1", title: "s: x", status: "completed" }], []],
    ["a plan after it", [], [{ sessionUpdate: "plan", entries: [] }]],
  ])("take an error for an answer's words with %s", (_what, before, after) => {
    const events = eventsOf([...before, chunk("\n\nError: gone"), ...after]);
    const text = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
    expect({ hasWords: text.includes("Error: gone"), end: events.at(-1) }).toMatchObject({
      hasWords: true,
      end: { outcome: { kind: "completed" } },
    });
  });

  it("show a call of an MCP tool once, when its name is known", () => {
    const call = { toolCallId: "1", title: "MCP: echo", kind: "other", rawInput: {}, status: "pending" };
    const rawInput = { providerIdentifier: "local", toolName: "echo", args: { text: "hi" } };
    const events = eventsOf([
      { sessionUpdate: "tool_call", ...call },
      { sessionUpdate: "tool_call", ...call, rawInput, title: "local: echo" },
      { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", rawOutput: { content: [] } },
      { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", rawOutput: { content: [] } },
    ]);
    expect(events.slice(0, 2)).toEqual([
      expect.objectContaining({ type: "tool-call", server: "local", name: "echo", input: { text: "hi" } }),
      expect.objectContaining({ type: "tool-result", status: "ok" }),
    ]);
    expect(events).toHaveLength(3);
  });

  it.each([
    [{ exitCode: 2, stdout: "", stderr: "no" }, "error"],
    [{ rejected: { reason: "" } }, "rejected"],
    [{ permissionDenied: { error: "rule" } }, "rejected"],
    [{ error: { error: "broken" } }, "error"],
    [{ exitCode: 0, stdout: "fine", stderr: "" }, "ok"],
  ])("read what became of a completed call off its output: %j is %s", (rawOutput, status) => {
    const call = { toolCallId: "1", title: "`x`", kind: "execute", rawInput: { _toolName: "shell", command: "x" } };
    const events = eventsOf([
      { sessionUpdate: "tool_call", ...call, status: "pending" },
      { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", rawOutput },
    ]);
    expect(events[1]).toMatchObject({ type: "tool-result", status });
  });

  it("say how full the context is together with what the turn has used", () => {
    const filled = { sessionUpdate: "usage_update", used: 1_200, size: 8_000 };
    const events = eventsOf([filled, { ...filled, used: "many" }, chunk("Done.")], (decoder) =>
      decoder.answered({ input: 5 }),
    );
    expect(events.filter(({ type }) => type === "usage")).toEqual([
      { type: "usage", usage: { input: 5 }, context: { used: 1_200, size: 8_000 } },
    ]);
  });

  it("are a well-formed turn whatever comes, and however it ends", () => {
    const kinds = ["tool_call", "tool_call_update", "plan", "usage_update", "agent_message_chunk", "brand_new"];
    const update = fc.record({
      sessionUpdate: fc.constantFrom(...kinds),
      toolCallId: fc.constantFrom("1", "2", undefined),
      title: fc.constantFrom("MCP: x", "s: x", "`ls`", undefined),
      status: fc.constantFrom("pending", "completed", "failed", undefined),
      content: fc.constantFrom({ type: "text", text: "hi" }, [{ type: "diff", path: "a", newText: "b" }], undefined),
      rawInput: fc.constantFrom({}, { _toolName: "shell" }, undefined),
      rawOutput: fc.constantFrom({ exitCode: 0 }, "text", null, undefined),
    });
    fc.assert(
      fc.property(fc.array(update), fc.boolean(), (updates, isCancelled) => {
        eventsOf(JSON.parse(JSON.stringify(updates)) as JsonObject[], (decoder) =>
          isCancelled ? decoder.finish({ kind: "cancelled" }) : decoder.answered(undefined),
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe("a subagent of an ACP session", () => {
  const task = (toolCallId: string, status = "in_progress"): JsonObject => ({
    sessionUpdate: "tool_call",
    toolCallId,
    title: "Look",
    kind: "other",
    rawInput: { _toolName: "task", description: "Look", prompt: "Look" },
    status,
  });
  const spawned = (subagentSessionId: string): JsonObject => ({ sessionUpdate: "subagent_spawned", subagentSessionId });
  const read = (toolCallId: string, status: string): JsonObject => ({
    sessionUpdate: "tool_call",
    toolCallId,
    kind: "read",
    title: "Read",
    rawInput: { _toolName: "read", path: "a.ts" },
    status,
    ...(status === "completed" ? { rawOutput: { content: "x" } } : {}),
  });

  it("has its calls and words shown under its task while it works", () => {
    const decoder = createAcpUpdates({ errorIn });
    const events = [
      ...decoder.update(task("t1")),
      ...decoder.update(spawned("child")),
      ...decoder.ofSubagent("child", chunk("I look.")),
      ...decoder.ofSubagent("child", read("r1", "in_progress")),
      ...decoder.ofSubagent("stranger", chunk("Not announced.")),
      ...decoder.ofSubagent("child", read("r1", "completed")),
      ...decoder.update({ sessionUpdate: "subagent_state_update", subagentSessionId: "child", state: "completed" }),
      ...decoder.update({ ...task("t1", "completed"), rawOutput: { success: {} } }),
      ...decoder.ofSubagent("child", chunk("Too late.")),
      ...decoder.answered(undefined),
    ].map(({ event }) => event);
    assertWellFormedTurn([{ type: "turn-start", turnId: "t", lane: "acp" }, ...events]);
    expect(
      events.map((event) => [
        event.type,
        "callId" in event ? event.callId : "",
        "parentCallId" in event ? event.parentCallId : "",
      ]),
    ).toEqual([
      ["tool-call", "t1", ""],
      ["tool-output", "t1", ""],
      ["tool-call", "r1", "t1"],
      ["tool-result", "r1", ""],
      ["tool-result", "t1", ""],
      ["turn-end", "", ""],
    ]);
  });

  it("is given to the tasks in their order, and may have subagents of its own", () => {
    const decoder = createAcpUpdates({ errorIn });
    const events = [
      ...decoder.update(spawned("one")),
      ...decoder.update(task("t1")),
      ...decoder.update(task("t2")),
      ...decoder.update({ sessionUpdate: "subagent_update", sessionId: "two" }),
      ...decoder.ofSubagent("one", read("r1", "completed")),
      ...decoder.ofSubagent("two", task("t3")),
      ...decoder.ofSubagent("two", spawned("three")),
      ...decoder.ofSubagent("three", read("r3", "completed")),
      ...decoder.finish({ kind: "cancelled" }),
    ].map(({ event }) => event);
    assertWellFormedTurn([{ type: "turn-start", turnId: "t", lane: "acp" }, ...events]);
    const parents = events.flatMap((event) => (event.type === "tool-call" ? [[event.callId, event.parentCallId]] : []));
    expect(parents).toEqual([
      ["t1", undefined],
      ["t2", undefined],
      ["r1", "t1"],
      ["t3", "t2"],
      ["r3", "t3"],
    ]);
  });
});
