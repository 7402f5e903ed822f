import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createVersionReport } from "./version-probe.ts";

const ready: AgentEvent = { type: "session-ready", sessionId: "s" };
const text: AgentEvent = { type: "text-delta", blockId: "b", text: "x" };
const end: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };
const entries = (...events: readonly AgentEvent[]) => events.map((event) => ({ event }));

describe("the version that ran", () => {
  it("joins the `session-ready` when it is known by then, and keeps its line", async () => {
    const { addTo } = createVersionReport(Promise.resolve("1"));
    await Promise.resolve();
    expect(addTo([{ event: ready, raw: "line" }, { event: text }])).toEqual([
      { event: { ...ready, version: "1" }, raw: "line" },
      { event: text },
    ]);
    expect(addTo(entries(text, end))).toEqual(entries(text, end));
  });

  it("comes by itself when it becomes known later, before the end", async () => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const { addTo } = createVersionReport(promise);
    expect(addTo(entries(ready))).toEqual(entries(ready));
    resolve("1");
    await Promise.resolve();
    expect(addTo(entries(text))).toEqual(entries({ type: "session-ready", version: "1" }, text));
  });

  it("is not waited for, except a moment at the end", async () => {
    const { addTo, lastChance } = createVersionReport(new Promise(() => undefined));
    expect(addTo(entries(ready, text))).toEqual(entries(ready, text));
    await lastChance();
    expect(addTo(entries(end))).toEqual(entries(end));
  });

  it("is left out when nobody knows it", async () => {
    const { addTo, lastChance } = createVersionReport(Promise.resolve(undefined));
    await lastChance();
    expect([addTo(entries(ready)), addTo(entries(end))]).toEqual([entries(ready), entries(end)]);
  });
});
