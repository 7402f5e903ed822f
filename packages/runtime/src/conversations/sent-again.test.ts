import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConversationBench, createConversationBench, eventsOf, read, user } from "./testing/conversation-bench.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench({ graceMs: 20 });
});
afterEach(() => bench.close());

const plain = { sessionKey: undefined } as const;
const again = { ...plain, isSentAgain: true } as const;

/** A turn that has said something, and was cancelled since its client has left. */
async function leaveTurn(owner: string): Promise<string> {
  bench.manner({ until: new Promise(() => undefined) });
  const turn = await bench.open([user("Pay")], { ...plain, owner });
  const said = new AbortController();
  await turn.follow((events) => {
    if (events.some(({ type }) => type === "text-delta")) said.abort();
  }, said.signal);
  turn.leave("gone");
  await turn.outcome;
  bench.manner("answer");
  return turn.turnId;
}

describe("a request that the client's library sends again by itself", () => {
  it.each(["agent", "gateway"])("never begins again what a turn with tools of the %s had begun", async (owner) => {
    const turnId = await leaveTurn(owner);
    const share = await bench.open([user("Pay")], { ...again, owner });
    const last = (await eventsOf(share)).at(-1);
    expect({ same: share.turnId === turnId, agents: bench.asked.length, last }).toMatchObject({
      same: true,
      agents: 1,
      last: {
        type: "turn-end",
        outcome: {
          kind: "failed",
          error: {
            code: "invalid-request",
            retryable: false,
            fix: "See what the turn has done. To have it answered, send it as a new request.",
          },
        },
      },
    });
  });

  it("begins again where the client runs the tools: it has run none of an answer that it did not get", async () => {
    await leaveTurn("client");
    const share = await bench.open([user("Pay")], { ...again, owner: "client" });
    expect([await read(share), bench.asked.length]).toEqual(["answer 2", 2]);
  });

  it("shares the turn that still runs, though another connection is still open", async () => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const first = await bench.open([user("Pay")], plain);
    const share = await bench.open([user("Pay")], again);
    gate.resolve();
    expect([share.turnId === first.turnId, await read(share), bench.asked.length]).toEqual([
      true,
      "workinganswer 1",
      1,
    ]);
  });

  it("waits while another process runs its turn, which may act at any moment", async () => {
    const turnId = await leaveTurn("gateway");
    const read = bench.store.read.bind(bench.store);
    // The log as it was while the other process ran the turn, before it said anything.
    bench.store.read = async (...asked) => (await read(...asked)).filter(({ event }) => event.type === "turn-start");
    const elsewhere = createConversationBench({ engine: bench.engine, lineage: bench.lineage });
    const share = elsewhere.open([user("Pay")], { ...again, owner: "gateway", workspace: bench.workspace });
    await expect(share).rejects.toMatchObject({ code: "session-busy", retryable: true });
    expect([turnId, bench.asked.length]).toEqual([expect.any(String), 1]);
    await elsewhere.close();
  });

  it.each([
    ["the same words are asked by somebody, and not sent again", plain, 0],
    ["its turn ended so long ago that no library would wait so long", again, 3 * 60_000],
    ["it asks for something else", { ...again, system: "Be long." }, 0],
  ])("is a new request where %s", async (_, more, laterMs) => {
    await leaveTurn("agent");
    bench.clock.now += laterMs;
    await read(await bench.open([user("Pay")], more));
    expect(bench.asked.length).toBe(2);
  });

  it("is the same request under its idempotency-key", async () => {
    const first = await bench.open([user("Pay")], { ...plain, idempotencyKey: "k" });
    await read(first);
    const share = await bench.open([user("Pay")], { ...again, idempotencyKey: "k" });
    expect([share.turnId === first.turnId, bench.asked.length]).toEqual([true, 1]);
  });
});

describe("an idempotency-key", () => {
  it("never begins again what was done in a session that was deleted since", async () => {
    const keyed = { idempotencyKey: "k" };
    const turn = await bench.open([user("Pay")], keyed);
    await read(turn);
    await bench.store.deleteSession(turn.sessionId);
    await expect(bench.open([user("Pay")], keyed)).rejects.toMatchObject({ code: "answer-not-kept", retryable: false });
    expect(bench.asked.length).toBe(1);
  });
});
