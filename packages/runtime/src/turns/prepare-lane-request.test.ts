import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createMemoryEventStore } from "../log/testing/memory-event-store.ts";
import { withoutMarks } from "../testing/without-marks.ts";
import { readHistory, withTranscript } from "./prepare-lane-request.ts";
import { completedEnd, says } from "./testing/scripted-engine.ts";

const start = (turnId: string, prompt: string): AgentEvent => ({ type: "turn-start", turnId, lane: "sim", prompt });

async function storeOf(turns: readonly (readonly AgentEvent[])[]) {
  const store = createMemoryEventStore();
  await store.createSession({ id: "s", workspace: "/w", createdAt: 1 });
  let seq = 0;
  for (const [index, events] of turns.entries()) {
    await store.append(
      "s",
      seq,
      events.map((event) => ({ turnId: `t${index}`, event })),
    );
    seq += events.length;
  }
  return store;
}

describe("what was said in a session", () => {
  it("is each prompt with its answer, oldest first", async () => {
    const store = await storeOf([
      [start("t0", "one"), ...says("first"), ...says("and more", "text-2"), completedEnd],
      [start("t1", "two"), ...says("second"), completedEnd],
    ]);
    expect(await readHistory(store, "s")).toEqual([
      { role: "user", text: "one" },
      { role: "assistant", text: "first\n\nand more" },
      { role: "user", text: "two" },
      { role: "assistant", text: "second" },
    ]);
  });

  it("has the plan of a turn that only planned", async () => {
    const plan: AgentEvent = { type: "plan", text: "# Plan" };
    const store = await storeOf([[start("t0", "one"), plan, completedEnd]]);
    expect(await readHistory(store, "s")).toEqual([
      { role: "user", text: "one" },
      { role: "assistant", text: "# Plan" },
    ]);
  });

  it("leaves out turns that said nothing, and the one that still runs", async () => {
    const failed: AgentEvent = { type: "turn-end", outcome: { kind: "cancelled" } };
    const store = await storeOf([
      [start("t0", "one"), failed],
      [start("t1", "two"), ...says("half")],
    ]);
    expect(await readHistory(store, "s")).toEqual([]);
  });

  it("is read whole however long it is", async () => {
    const noise: AgentEvent = { type: "unknown", source: "x", label: "n", value: 1 };
    const store = await storeOf([
      [start("t0", "one"), ...Array.from({ length: 2_500 }, () => noise), ...says("late"), completedEnd],
    ]);
    expect(await readHistory(store, "s")).toEqual([
      { role: "user", text: "one" },
      { role: "assistant", text: "late" },
    ]);
  });

  it("goes before the prompt of an upstream that forgot, marked as such", () => {
    const history = [
      { role: "user", text: "one" },
      { role: "assistant", text: "first" },
    ] as const;
    expect(withoutMarks(withTranscript(history, "two"))).toBe(
      "<earlier_conversation>\nUSER:\none\n\nASSISTANT:\nfirst\n</earlier_conversation>\n\ntwo",
    );
    expect(withTranscript([], "two")).toBe("two");
  });

  it("keeps its newest part when it is too long", () => {
    const prompt = withoutMarks(withTranscript([{ role: "assistant", text: `${"x".repeat(200_000)}newest` }], "two"));
    expect(prompt.length).toBeLessThan(101_000);
    expect(prompt).toContain("newest\n</earlier_conversation>");
  });
});
