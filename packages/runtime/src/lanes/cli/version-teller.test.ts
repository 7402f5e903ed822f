import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createVersionTeller } from "./version-probe.ts";

const ready: AgentEvent = { type: "session-ready", sessionId: "s" };
const text: AgentEvent = { type: "text-delta", blockId: "b", text: "x" };
const end: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };

describe("the version that ran", () => {
  it("joins the event that tells of the session when it is known by then", async () => {
    const tell = createVersionTeller(Promise.resolve("1"));
    await Promise.resolve();
    expect(await tell([ready, text])).toEqual([{ ...ready, version: "1" }, text]);
    expect(await tell([text, end])).toEqual([text, end]);
  });

  it("comes by itself when it becomes known later, before the end", async () => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const tell = createVersionTeller(promise);
    expect(await tell([ready])).toEqual([ready]);
    resolve("1");
    await Promise.resolve();
    expect(await tell([text])).toEqual([{ type: "session-ready", version: "1" }, text]);
  });

  it("is not waited for, except a moment at the end", async () => {
    const tell = createVersionTeller(new Promise(() => undefined));
    expect(await tell([ready, text])).toEqual([ready, text]);
    expect(await tell([end])).toEqual([end]);
  });

  it("is left out when nobody knows it", async () => {
    const tell = createVersionTeller(Promise.resolve(undefined));
    expect([await tell([ready]), await tell([end])]).toEqual([[ready], [end]]);
  });
});
