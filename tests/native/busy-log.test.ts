import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { NativeClient, SessionView } from "@caret/protocol";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { eventOf, textOf } from "./await-event.ts";
import { MortalGateway } from "./mortal-gateway.ts";

/** Longer than SQLite's own patience ever was here. */
const HELD_MS = 6_500;
const WORDS = 90;

let gateway: MortalGateway;
let caret: NativeClient;
let session: SessionView;
beforeAll(async () => {
  const words = { text: "word ", repeat: WORDS, tokensPerDelta: 1, deltaMs: 90 };
  gateway = await MortalGateway.start({
    turns: [
      { when: "many words", steps: [words] },
      { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
    ],
  });
  caret = gateway.client();
});
afterAll(() => gateway.remove());
beforeEach(async () => {
  session = await caret.createSession({ permission: "full" });
});

/** Keeps the log's write lock, as a long transaction of another process does, and samples how the gateway answers. */
async function keepTheLog(): Promise<{ readonly slowestMs: number }> {
  const other = new DatabaseSync(join(gateway.home.dataDir, "caret.db"));
  other.exec("begin immediate");
  const until = performance.now() + HELD_MS;
  let slowestMs = 0;
  while (performance.now() < until) {
    const askedAt = performance.now();
    await fetch(`${gateway.process.url}/healthz`);
    slowestMs = Math.max(slowestMs, performance.now() - askedAt);
    await sleep(20);
  }
  other.close();
  return { slowestMs };
}

it("a log that another process keeps for seconds neither stops the gateway nor costs a turn a word", async () => {
  const { firstSeq } = await caret.startTurn(session.id, { prompt: "Say many words" });
  await eventOf(caret, session.id, "text-delta", firstSeq);
  const { slowestMs } = await keepTheLog();
  const { event } = await eventOf(caret, session.id, "turn-end", firstSeq);
  const { events } = await caret.readLog(session.id, { limit: 10_000 });
  expect({
    isGatewayQuick: slowestMs < HELD_MS / 2,
    outcome: event.outcome,
    words: textOf(events).trim().split(" ").length,
    status: (await caret.getSession(session.id)).status.kind,
  }).toEqual({ isGatewayQuick: true, outcome: { kind: "completed" }, words: WORDS, status: "ended" });
}, 40_000);

it.runIf(isFullRun())(
  "a turn that is stopped while another process keeps the log loses its agent at once, and ends as stopped once the log can be written",
  async () => {
    const { firstSeq, turnId } = await caret.startTurn(session.id, { prompt: "Go on for ever" });
    await eventOf(caret, session.id, "text-delta", firstSeq);
    let isHeld = true;
    const held = keepTheLog().then(() => {
      isHeld = false;
    });
    await caret.cancelTurn(session.id, turnId);
    await expect.poll(() => gateway.home.agents("caret-sim-agent"), { timeout: HELD_MS }).toEqual([]);
    const wasHeld = isHeld;
    await held;
    expect(wasHeld).toBe(true);
    const { event } = await eventOf(caret, session.id, "turn-end", firstSeq);
    expect(event.outcome).toEqual({ kind: "cancelled" });
  },
  40_000,
);
