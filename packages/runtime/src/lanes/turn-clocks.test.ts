import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createTurnClocks, type TurnClocks } from "./turn-clocks.ts";

const settings = { firstEventMs: 60, idleMs: 900, toolMs: 1_800, turnMs: 7_200 };
const text: AgentEvent = { type: "text-delta", blockId: "b", text: "x" };
const call = (callId: string, name = "ls"): AgentEvent => ({
  type: "tool-call",
  callId,
  name,
  kind: "read",
  input: {},
  owner: "agent",
});
const settle = (callId: string): AgentEvent => ({ type: "tool-result", callId, status: "ok", output: "" });
const retry: AgentEvent = { type: "notice", kind: "retry", message: "again" };
const unknown: AgentEvent = { type: "unknown", source: "x", label: "heartbeat", value: 1 };

function at(steps: readonly (readonly [nowMs: number, ...AgentEvent[]])[]): { clocks: TurnClocks; now: number } {
  let now = 0;
  const clocks = createTurnClocks(settings, () => now);
  for (const [nowMs, ...events] of steps) {
    now = nowMs;
    clocks.note(events.map((event) => ({ event })));
  }
  return { clocks, now };
}

describe("the clocks of a turn", () => {
  it("wait for the first event, whatever the connection does meanwhile", () => {
    const { clocks } = at([[10, retry], [20, unknown], [30]]);
    expect(clocks.deadline()).toBe(60);
    expect(clocks.expired()).toMatchObject({ code: "stalled", message: "Waited 60 ms for the agent's first event" });
    expect(clocks.expired().fix).toContain("clocks.firstEventMs");
  });

  it("then wait between events; notices are no signs of life of the turn", () => {
    const { clocks } = at([
      [10, text],
      [500, retry],
    ]);
    expect(clocks.deadline()).toBe(910);
    expect(clocks.expired().message).toBe("Waited 900 ms for the agent's next event");
  });

  it("wait longer while any tool works, and name it", () => {
    const { clocks } = at([
      [10, text],
      [20, call("1", "shell"), call("2")],
      [30, settle("2")],
    ]);
    expect(clocks.deadline()).toBe(1_830);
    expect(clocks.expired().message).toBe("Waited 1800 ms for the result of the tool shell");
  });

  it("wait between events again when the last tool is done", () => {
    const { clocks } = at([
      [10, call("1")],
      [20, settle("1")],
    ]);
    expect(clocks.deadline()).toBe(920);
  });

  it("never wait beyond the turn's own limit", () => {
    const { clocks } = at([
      [10, text],
      [7_000, text],
    ]);
    expect(clocks.deadline()).toBe(7_200);
    expect(clocks.expired()).toMatchObject({
      code: "timed-out",
      message: "The turn was not done after 7200 ms; it waited for the agent's next event",
    });
  });
});
