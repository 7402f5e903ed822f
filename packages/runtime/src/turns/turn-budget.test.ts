import type { AgentEvent } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createMemoryEventStore } from "../log/testing/memory-event-store.ts";
import { completedEnd } from "./testing/scripted-engine.ts";
import { assertQuota, budgetBefore, budgetDuring, budgetView, toWarnings } from "./turn-budget.ts";

const noon = Date.UTC(2026, 10, 15, 12);
const none = { turn: {}, session: {}, day: {} };
const ample = { turn: {}, session: { tokens: 1_000_000 }, day: { tokens: 1_000_000 } };

async function storeWith(usages: readonly (AgentEvent & { type: "usage" })["usage"][], at = noon) {
  const store = createMemoryEventStore({ now: () => at });
  await store.createSession({ id: "s", workspace: "/w", createdAt: at });
  let seq = 0;
  for (const [index, usage] of usages.entries()) {
    const start: AgentEvent = { type: "turn-start", turnId: `t${index}`, lane: "sim", model: "auto" };
    const events: readonly AgentEvent[] = [start, { type: "usage", usage }, completedEnd];
    await store.append(
      "s",
      seq,
      events.map((event) => ({ turnId: `t${index}`, event, at })),
    );
    seq += events.length;
  }
  return store;
}

describe("what was used", () => {
  it("is held against the session's and the day's budget before a turn", async () => {
    const store = await storeWith([{ input: 400, output: 100, cacheRead: 300 }, { input: 200 }]);
    const { verdict, spent } = await budgetBefore(store, ample, { sessionId: "s", nowMs: noon });
    expect(verdict).toEqual({ kind: "ok" });
    expect([spent.session.tokens, spent.day.tokens]).toEqual([1_000, 1_000]);
  });

  it("of yesterday counts for the session, not for today", async () => {
    const store = await storeWith([{ input: 500 }]);
    const nowMs = noon + 24 * 3_600_000;
    const { spent } = await budgetBefore(store, ample, { sessionId: "s", nowMs });
    expect([spent.session.tokens, spent.day.tokens]).toEqual([500, 0]);
  });

  it("is not added up where nobody limits it", async () => {
    const store = await storeWith([{ input: 500 }]);
    const { spent } = await budgetBefore(store, { ...none, day: { usd: 5 } }, { sessionId: "s", nowMs: noon });
    expect([spent.session.tokens, spent.day.tokens]).toEqual([0, 500]);
  });

  it("stops at the budget and warns before it", async () => {
    const store = await storeWith([{ input: 900 }]);
    const ask = (tokens: number) =>
      budgetBefore(store, { ...none, session: { tokens } }, { sessionId: "s", nowMs: noon });
    expect((await ask(900)).verdict.kind).toBe("exceeded");
    expect(toWarnings((await ask(1_000)).verdict).map(({ type }) => type)).toEqual(["notice"]);
    expect((await ask(10_000)).verdict.kind).toBe("ok");
  });

  it("by the running turn adds to what was used before", () => {
    const before = { turn: { tokens: 0, usd: 0 }, session: { tokens: 900, usd: 0 }, day: { tokens: 0, usd: 0 } };
    const ask = (input: number) =>
      budgetDuring({ budgets: { ...none, session: { tokens: 1_000 } }, spent: before, nowMs: noon }, { input }, "auto")
        .kind;
    expect([ask(10), ask(100)]).toEqual(["warning", "exceeded"]);
  });

  it("at a price that nobody knows is never taken for free", () => {
    const before = { turn: { tokens: 0, usd: 0 }, session: { tokens: 0, usd: 0 }, day: { tokens: 0, usd: 0 } };
    const verdict = budgetDuring(
      { budgets: { ...none, turn: { usd: 1 } }, spent: before, nowMs: noon },
      { input: 1 },
      "a-model-nobody-sells",
    );
    expect(verdict.kind).toBe("warning");
  });
});

describe("how the budgets stand before a turn", () => {
  const limits = { turn: { tokens: 50 }, session: { tokens: 900 }, day: { tokens: 1_000, usd: 5 } };

  it("says of each limit what is used of it, and why the next turn would be refused", async () => {
    const store = await storeWith([{ input: 900 }]);
    expect(await budgetView(store, limits, { sessionId: "s", nowMs: noon })).toEqual({
      lines: [
        { scope: "turn", unit: "tokens", limit: 50 },
        { scope: "session", unit: "tokens", limit: 900, used: 900 },
        { scope: "day", unit: "tokens", limit: 1_000, used: 900 },
        { scope: "day", unit: "usd", limit: 5, used: "unknown" },
      ],
      refusal: {
        message: "The session's budget of 900 tokens is used up (900 tokens)",
        fix: "Raise budgets.session.tokens.",
      },
      warnings: [],
    });
  });

  it("counts nothing for a session that is not there yet, and leaves unknown what is", async () => {
    const store = await storeWith([{ input: 900 }]);
    const { refusal, warnings, lines } = await budgetView(store, limits, { nowMs: noon });
    expect({ refusal, warnings, session: lines[1] }).toEqual({
      refusal: undefined,
      warnings: [
        "900 tokens of the day's budget of 1000 tokens are used",
        "It is unknown how much of the day's budget of $5.00 is left: what was used has no known price",
      ],
      session: { scope: "session", unit: "tokens", limit: 900 },
    });
  });
});

describe("a quota of a user", () => {
  const annas = { user: "anna", team: "web" };
  async function quotaOf(turns: readonly (readonly AgentEvent[])[]) {
    const store = createMemoryEventStore({ now: () => noon });
    await store.createSession({ id: "s", workspace: "/w", createdAt: noon, ...annas });
    let seq = 0;
    for (const [index, events] of turns.entries()) {
      const turnId = `t${index}`;
      const start: AgentEvent = { type: "turn-start", turnId, lane: "sim", model: "no-such" };
      const entries = [start, ...events].map((event) => ({ turnId, event, at: noon }));
      await store.append("s", seq, entries);
      seq += entries.length;
    }
    return (budgets: object, whose: object = annas) =>
      assertQuota(store, { ...none, ...budgets }, { ...whose, nowMs: noon }).then(
        () => "ok",
        ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
      );
  }

  it("counts turns whose usage nobody knows, of the user and of the team, and of nobody else", async () => {
    const ask = await quotaOf([[completedEnd], [{ type: "usage", usage: { input: 5 } }, completedEnd]]);
    expect([
      await ask({ user: { turns: 3 } }),
      await ask({ user: { turns: 2 } }),
      await ask({ team: { turns: 2 } }),
      await ask({ user: { turns: 2 } }, { user: "bert" }),
      await ask({ user: { turns: 0 } }, {}),
    ]).toEqual([
      "ok",
      "budget-exceeded: The user's budget of 2 turns is used up (2 turns)",
      "budget-exceeded: The team's budget of 2 turns is used up (2 turns)",
      "ok",
      "ok",
    ]);
  });

  it("holds tokens, and takes a cost that is unknown for unknown, not for nothing", async () => {
    const ask = await quotaOf([[{ type: "usage", usage: { input: 5 } }, completedEnd]]);
    expect([
      await ask({ user: { tokens: 5 } }),
      await ask({ user: { tokens: 6 } }),
      await ask({ user: { usd: 0.01 } }),
    ]).toEqual(["budget-exceeded: The user's budget of 5 tokens is used up (5 tokens)", "ok", "ok"]);
  });

  it("refuses a turn as overloaded while as many run as may, and not any more once one has ended", async () => {
    const running = await quotaOf([[], [completedEnd]]);
    const ended = await quotaOf([[completedEnd], [completedEnd]]);
    expect([await running({ user: { atOnce: 1 } }), await ended({ user: { atOnce: 1 } })]).toEqual([
      "overloaded: The user anna has 1 turn running, and may have no more at once",
      "ok",
    ]);
  });
});
