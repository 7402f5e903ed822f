import { type AgentEvent, emptyTranscript, foldTranscript, type TranscriptTurn } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { describeWait } from "./describe-wait.ts";

const start: AgentEvent = { type: "turn-start", turnId: "t", lane: "sim", prompt: "Go" };
const ready: AgentEvent = { type: "session-ready", model: "Some model" };

/** One event each second, the first at 1,000. */
function turnOf(...events: readonly AgentEvent[]): TranscriptTurn {
  const envelopes = events.map((event, index) => ({
    sessionId: "s",
    seq: index + 1,
    turnId: "t",
    at: (index + 1) * 1_000,
    event,
  }));
  const turn = foldTranscript(emptyTranscript, envelopes).turns[0];
  if (turn === undefined) throw new Error("no turn came out of the events");
  return turn;
}

function call(callId: string, fields: Partial<Extract<AgentEvent, { type: "tool-call" }>> = {}): AgentEvent {
  return { type: "tool-call", callId, name: "shell", kind: "shell", input: {}, owner: "agent", ...fields };
}

const approval: AgentEvent = { type: "approval-request", requestId: "r", subject: "exec", input: {} };

describe("describeWait", () => {
  it("waits for the agent's first word until anything came", () => {
    expect(describeWait(turnOf(start), 9_000)).toEqual({
      on: "agent",
      words: "Waiting for the agent's first word",
      since: 1_000,
    });
  });

  it("waits for the model once the agent is there", () => {
    expect(describeWait(turnOf(start, ready), 9_000)).toEqual({
      on: "model",
      words: "Waiting for the model",
      since: 2_000,
    });
  });

  it("thinks since the thinking began", () => {
    const turn = turnOf(
      start,
      ready,
      { type: "thinking-start", blockId: "b" },
      {
        type: "thinking-delta",
        blockId: "b",
        text: "hm",
      },
    );
    expect(describeWait(turn, 9_000)).toEqual({ on: "model", words: "Thinking", since: 3_000 });
  });

  it("writes while words come, and says so when they stop coming", () => {
    const turn = turnOf(
      start,
      ready,
      { type: "text-start", blockId: "b" },
      { type: "text-delta", blockId: "b", text: "a" },
    );
    expect(describeWait(turn, 5_000)).toEqual({ on: "model", words: "Writing" });
    expect(describeWait(turn, 8_000)).toEqual({ on: "model", words: "Waiting for the model", since: 4_000 });
  });

  it("names the command it runs, or how many tools", () => {
    const test = call("a", { input: { command: "npm test\n# and more" } });
    expect(describeWait(turnOf(start, ready, test), 9_000)).toEqual({
      on: "tool",
      words: "Running npm test",
      since: 3_000,
    });
    const two = turnOf(start, ready, test, call("b", { name: "read", kind: "read", input: { path: "a.ts" } }));
    expect(describeWait(two, 9_000)?.words).toBe("Running 2 tools");
  });

  it("describes the task, not its steps", () => {
    const task = call("a", { name: "task", kind: "task", input: { description: "look around" } });
    const inner = call("b", { name: "read", kind: "read", input: { path: "x" }, parentCallId: "a" });
    expect(describeWait(turnOf(start, task, inner), 9_000)?.words).toBe("Running task look around");
  });

  it("waits for the client where the client runs the tools", () => {
    const turn = turnOf(start, call("a", { name: "read", kind: "read", input: { path: "a.ts" }, owner: "client" }));
    expect(describeWait(turn, 9_000)).toEqual({
      on: "client",
      words: "Waiting for the client to run read a.ts",
      since: 2_000,
    });
  });

  it("waits for a person before anything else, until the person has answered", () => {
    const asked = [start, call("a", { input: { command: "rm x" } }), approval];
    expect(describeWait(turnOf(...asked), 9_000)).toEqual({
      on: "person",
      words: "Waiting for your approval",
      since: 3_000,
    });
    const answered = turnOf(...asked, {
      type: "approval-answer",
      requestId: "r",
      decision: "approved",
      by: "person",
    });
    expect(describeWait(answered, 9_000)?.words).toBe("Running rm x");
    const question = turnOf(start, { type: "question", requestId: "q", questions: [] });
    expect(describeWait(question, 9_000)?.words).toBe("Waiting for your answer");
  });

  it("waits for nothing when it has ended", () => {
    expect(describeWait(turnOf(start, approval, { type: "turn-end", outcome: { kind: "completed" } }), 9_000)).toBe(
      undefined,
    );
  });
});
