import { setTimeout as after } from "node:timers/promises";
import { CaretError, type NativeClient } from "@caret/protocol";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { expect, it, onTestFinished, vi } from "vitest";
import { client, clientOverSocket } from "./client-readers.ts";
import { type EventReader, Received } from "./event-reader.ts";
import { MortalGateway } from "./mortal-gateway.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { seed, seededRandom } from "./seeded-random.ts";
import { seedSocket, socket } from "./socket-readers.ts";
import { sseByBoth, sseByHeader, sseByQuery } from "./sse-readers.ts";
import { UnreliableLine } from "./unreliable-line.ts";
import { differenceOf, logOf, seedLogOf } from "./whole-log.ts";

const SESSIONS = barSize({ quick: 4, full: 20 });
const DISCONNECTS = barSize({ quick: 60, full: 1000 });
const KILLS = barSize({ quick: 1, full: 5 });
/** Between one disconnect and the next, on average. */
const PAUSE_MS = 25;
const SETTLE_MS = 5_000;
/** Longer than any turn takes, also on a busy machine. */
const TURN_MS = barSize({ quick: 20_000, full: 60_000 });

/** Characters of several bytes, so that a line can be torn within one. */
const scenario: ScenarioInput = {
  tokensPerDelta: 2,
  deltaMs: barSize({ quick: 25, full: 60 }),
  turns: [
    [
      { thinking: "Größere Dinge 思考 zuerst. ", repeat: barSize({ quick: 4, full: 20 }) },
      { text: "Ein Wort – 言葉 – und noch eines 🙂. ", repeat: barSize({ quick: 8, full: 40 }) },
      { tool: { name: "ls", args: { path: "." } } },
      { event: { type: "brand_new", value: "naïve" } },
      { text: "So viel zu: {{prompt}}" },
    ],
  ],
};

const kinds = { sseByHeader, sseByQuery, sseByBoth, socket, seedSocket, client, clientOverSocket } as const;
type Kind = keyof typeof kinds;

interface Follower {
  readonly kind: Kind;
  readonly sessionId: string;
  readonly received: Received;
  readonly done: Promise<void>;
}

let gateway: MortalGateway;
let line: UnreliableLine;
const stop = new AbortController();

/** Turn after turn, until it is over. A turn whose gateway is killed under it ends as well: the next gateway sees to it. */
async function keepBusy(sessionId: string, received: Received, isOver: () => boolean): Promise<number> {
  const caret = gateway.client();
  let turns = 0;
  while (!isOver()) {
    const turnId = await startTurn(caret, sessionId);
    if (turnId === undefined) await after(PAUSE_MS);
    else await heardEnd(received, turnId);
    turns += turnId === undefined ? 0 : 1;
  }
  return turns;
}

/** A reader that never hears of it has missed something, which is reported when all is compared with the log. */
async function heardEnd(received: Received, turnId: string): Promise<void> {
  const heard = vi.waitUntil(() => received.hasEnd(turnId), { timeout: TURN_MS, interval: 20 });
  await heard.catch(() => undefined);
}

/** Undefined when the gateway was just killed, or has a turn of an attempt whose answer was lost. */
async function startTurn(caret: NativeClient, sessionId: string): Promise<string | undefined> {
  try {
    return (await caret.startTurn(sessionId, { prompt: "Erzähl" })).turnId;
  } catch (reason) {
    const { code } = CaretError.from(reason);
    if (["session-busy", "upstream-unreachable", "interrupted"].includes(code)) return undefined;
    throw reason;
  }
}

/** The same log, written by turns in a terminal and by the gateway's in turn. */
async function shareSession(sessionId: string, received: Received, isOver: () => boolean): Promise<number> {
  let turns = 0;
  while (!isOver()) {
    await runInTerminal(gateway.home, sessionId, "Aus dem Terminal");
    let isOnce = false;
    await keepBusy(sessionId, received, () => {
      const wasOnce = isOnce;
      isOnce = true;
      return wasOnce;
    });
    turns += 1;
  }
  return turns;
}

function follow(sessionId: string, kind: Kind, random: () => number): Follower {
  const received = new Received();
  const read: EventReader = kinds[kind];
  const done = read({ baseUrl: line.url, sessionId, random, signal: stop.signal }, received);
  // It is waited for at the end; until then nobody is there to hear of it.
  done.catch(() => undefined);
  return { kind, sessionId, received, done };
}

async function breakUntilEnough(random: () => number): Promise<void> {
  let killed = 0;
  while (line.broken < DISCONNECTS) {
    line.breakOne();
    await after(2 * PAUSE_MS * random());
    if (killed < KILLS && line.broken > ((killed + 1) * DISCONNECTS) / (KILLS + 1)) {
      killed += 1;
      await gateway.dieAndReturn();
    }
  }
}

/** What a follower received that the log does not have, or has otherwise. */
async function wrongsOf(followers: readonly Follower[]): Promise<readonly object[]> {
  const caret = gateway.client();
  const wrongs: object[] = [];
  for (const sessionId of new Set(followers.map((follower) => follower.sessionId))) {
    const [log, seedLog] = [await logOf(caret, sessionId), await seedLogOf(caret, sessionId)];
    for (const { kind, received } of followers.filter((follower) => follower.sessionId === sessionId)) {
      const expected = kind === "seedSocket" ? seedLog : log;
      const inTime = vi.waitUntil(() => received.texts.length >= expected.length, { timeout: SETTLE_MS, interval: 20 });
      // A late reader has an incomplete sequence, which is reported below.
      await inTime.catch(() => undefined);
      const difference = differenceOf(expected, received.texts);
      if (difference !== undefined) wrongs.push({ kind, sessionId, ...difference });
    }
  }
  return wrongs;
}

it(`${DISCONNECTS} random disconnects, ${KILLS} of the gateway itself killed, leave every reader of ${SESSIONS} streaming ` +
  `sessions with exactly the log (seed ${seed})`, { timeout: 120_000 + DISCONNECTS * 400 }, async ({ annotate }) => {
  const random = seededRandom(seed);
  gateway = await MortalGateway.start(scenario);
  onTestFinished(() => gateway.remove());
  line = await UnreliableLine.open({ gateway: () => gateway.process, random });
  onTestFinished(() => line.close());
  onTestFinished(() => stop.abort());
  const caret = gateway.client();
  const create = async (): Promise<string> => (await caret.createSession({ permission: "full" })).id;
  const busy = await Promise.all(Array.from({ length: SESSIONS }, create));
  const shared = await create();
  const everyKind = Object.keys(kinds) as Kind[];
  const followers = [...busy, shared].flatMap((id) => everyKind.map((kind) => follow(id, kind, random)));
  const witnessOf = (id: string): Received =>
    followers.find(({ sessionId, kind }) => sessionId === id && kind === "sseByHeader")?.received ?? new Received();

  const started = performance.now();
  let isOver = false;
  const streaming = busy.map((id) => keepBusy(id, witnessOf(id), () => isOver));
  const sharing = shareSession(shared, witnessOf(shared), () => isOver);
  await breakUntilEnough(random);
  isOver = true;
  const turns = (await Promise.all(streaming)).reduce((sum, count) => sum + count, 0);
  const foreign = await sharing;
  const wrongs = await wrongsOf(followers);
  stop.abort();
  await Promise.all(followers.map(({ done }) => done));

  const events = followers.reduce((sum, { received }) => sum + received.texts.length, 0);
  const seconds = Math.round((performance.now() - started) / 1000);
  await annotate(
    `${line.broken} disconnects ${JSON.stringify(line.counts)}, ${KILLS} kills, ${followers.length} readers, ` +
      `${turns} turns and ${foreign} in a terminal, ${events} events received, ${seconds} s`,
  );
  expect(wrongs, `seed ${seed}`).toEqual([]);
});
