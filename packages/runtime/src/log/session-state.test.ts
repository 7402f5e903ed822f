import type { AgentEvent } from "@caret/protocol";
import { beforeEach, expect, it } from "vitest";
import type { EventStore } from "./event-store.ts";
import { sessionState } from "./session-state.ts";
import { createMemoryEventStore } from "./testing/memory-event-store.ts";

let store: EventStore;
beforeEach(async () => {
  store = createMemoryEventStore({});
  await store.createSession({ id: "s", workspace: "/", createdAt: 1 });
});

const start: AgentEvent = { type: "turn-start", turnId: "t", lane: "sim" };
const asks: AgentEvent = { type: "approval-request", requestId: "r", subject: "exec", input: {} };
const answers: AgentEvent = { type: "approval-answer", requestId: "r", decision: "approved", by: "person" };
const ends = (kind: "completed" | "cancelled"): AgentEvent => ({ type: "turn-end", outcome: { kind } });
const fails: AgentEvent = {
  type: "turn-end",
  outcome: { kind: "failed", error: { code: "internal", message: "m", fix: "f", retryable: false } },
};

it.each<readonly [string, readonly AgentEvent[]]>([
  ["new", []],
  ["running", [start]],
  ["waiting for you", [start, asks]],
  ["running", [start, asks, answers]],
  ["done", [start, ends("completed")]],
  ["stopped", [start, ends("cancelled")]],
  ["failed", [start, fails]],
])("is %s after %j", async (state, events) => {
  await store.append(
    "s",
    0,
    events.map((event) => ({ turnId: "t", event })),
  );
  const session = await store.getSession("s");
  expect(session && (await sessionState(store, session))).toBe(state);
});

it("is waiting for the machine that its next turn needs, however its last one ended", async () => {
  await store.append(
    "s",
    0,
    [start, ends("completed")].map((event) => ({ turnId: "t", event })),
  );
  const session = await store.getSession("s");
  const machineWait = { machine: "laptop", turnId: "u", since: 2 };
  expect(session && (await sessionState(store, { ...session, machineWait }))).toBe("waiting for laptop");
});
