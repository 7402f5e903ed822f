import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, TakeBatch } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventStore } from "../log/event-store.ts";
import { follow } from "../log/follow.ts";
import { openSqliteEventStore } from "../log/sqlite/sqlite-event-store.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import { openTurnWriter } from "../turns/testing/open-turn-writer.ts";
import { completedEnd } from "../turns/testing/scripted-engine.ts";
import type { TurnWriter } from "../turns/turn-writer.ts";
import { createTurnRounds, type TurnRound } from "./turn-rounds.ts";

let directory: string;
/** A store that delays commits that are not awaited. */
let store: EventStore;
let log: TurnWriter;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "caret-rounds-"));
  store = openSqliteEventStore({ directory, role: "gateway" });
  await store.createSession({ id: "s", workspace: "/w", createdAt: 1 });
  log = openTurnWriter(store).log;
  await log.write([{ type: "turn-start", turnId: "t", lane: "cli", model: "auto", workspace: "/w", prompt: "Go" }]);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const never = new AbortController().signal;
const call = { callId: "c", name: "read", input: {} };
const say = (text: string): unknown => log.append([{ event: { type: "text-delta", blockId: "b", text } }]);

/** A turn that waits for its client once it has been silent for this long. */
function turnOf(windowMs: number): RunningTurn {
  const listen: RunningTurn["listen"] = (take, { afterSeq = 0, signal = never } = {}) =>
    follow(
      { store, sessionId: "s" },
      { from: afterSeq, until: { endOf: "t" }, signal, live: log, restore: log.said.restore },
      take,
    );
  return { firstSeq: 1, parked: { windowMs: () => windowMs, open: () => [call] }, listen } as unknown as RunningTurn;
}

interface Heard {
  readonly words: string[];
  readonly take: TakeBatch<readonly AgentEvent[]>;
}

function reader(takesMore: boolean): Heard {
  const words: string[] = [];
  const batches = (events: readonly AgentEvent[]): void =>
    void words.push(...events.map((event) => (event.type === "text-delta" ? event.text : event.type)));
  return {
    words,
    take: Object.assign(batches, takesMore ? { more: ({ text }: { text: string }) => words.push(text) > 0 } : {}),
  };
}

async function read(round: TurnRound): Promise<string> {
  const { words, take } = reader(true);
  await round.follow(take, never);
  return words.join("|");
}

describe.each([true, false])("an answer that ends in the middle of what the agent says (more: %s)", (takesMore) => {
  it("is the same for later readers, and the next one goes on with the very next word", async () => {
    const rounds = createTurnRounds(turnOf(1), "first");
    const { last: first } = rounds;
    const client = reader(takesMore);
    const answered = first.follow(client.take, never);
    await log.write([{ type: "tool-call", kind: "other", owner: "client", ...call }]);
    say("I am");
    await answered;
    // Before the first word is in a commit.
    say(" on");
    say(" it.");
    const second = rounds.begin("second");
    await log.append([{ event: completedEnd }]);
    expect({ client: client.words.join("|"), again: await read(first), second: await read(second) }).toEqual({
      client: "tool-call|I am",
      again: "tool-call|I am",
      second: " on it.|turn-end",
    });
  });

  it("leaves nothing out for a client that hung up and comes back with results", async () => {
    const rounds = createTurnRounds(turnOf(60_000), "first");
    const gone = new AbortController();
    const client = reader(takesMore);
    const answered = rounds.last.follow(client.take, gone.signal);
    await log.write([{ type: "tool-call", kind: "other", owner: "client", ...call }]);
    await expect.poll(() => client.words).toEqual(["tool-call"]);
    say("I am");
    gone.abort();
    // Before the follower has noticed.
    say(" on it.");
    await answered;
    const second = rounds.begin("second");
    await log.append([{ event: completedEnd }]);
    expect({ client: client.words.join("|"), second: await read(second) }).toEqual({
      client: "tool-call|I am",
      second: " on it.|turn-end",
    });
  });
});

it("an answer that is read again is as long as before, however slow the log is", async () => {
  const turn = turnOf(1);
  const rounds = createTurnRounds(turn, "first");
  const client = reader(true);
  const answered = rounds.last.follow(client.take, never);
  say("I am on it.");
  await log.write([{ type: "tool-call", kind: "other", owner: "client", ...call }]);
  await answered;
  const { parked } = turn;
  const { promise: silent, resolve: note } = Promise.withResolvers<void>();
  // Looked at when nothing was said for as long as the turn waits for further calls.
  Object.assign(parked ?? {}, { open: () => [call, note()].slice(0, 1) });
  const readLog = store.read.bind(store);
  store.read = async (...asked) => {
    await silent;
    return await readLog(...asked);
  };
  expect({ client: client.words.join("|"), again: await read(rounds.last) }).toEqual({
    client: "I am on it.|tool-call",
    again: "I am on it.|tool-call",
  });
});

/** A client that has not taken its first words until it is released. */
function slowReader(): Heard & { readonly release: () => void } {
  const { words, take } = reader(false);
  const { promise, resolve } = Promise.withResolvers<void>();
  const batches = (events: readonly AgentEvent[]): Promise<void> | void => {
    void take(events);
    return words.at(-1) === "tool-call" ? undefined : promise;
  };
  return { words, take: batches, release: resolve };
}

describe("an answer whose client is slow, in the middle of what the agent says", () => {
  const hears = async (...clients: readonly Heard[]): Promise<void> => {
    await log.write([{ type: "tool-call", kind: "other", owner: "client", ...call }]);
    for (const { words } of clients) await expect.poll(() => words).toEqual(["tool-call"]);
  };

  it("leaves nothing out when the client hangs up and comes back with results", async () => {
    const rounds = createTurnRounds(turnOf(60_000), "first");
    const { last: first } = rounds;
    const gone = new AbortController();
    const client = slowReader();
    const answered = first.follow(client.take, gone.signal);
    await hears(client);
    for (const word of ["I am", " on", " it."]) say(word);
    gone.abort();
    client.release();
    await answered;
    const second = rounds.begin("second");
    await log.append([{ event: completedEnd }]);
    expect({ client: client.words.join("|"), again: await read(first), second: await read(second) }).toEqual({
      client: "tool-call|I am",
      again: "tool-call|I am",
      second: " on it.|turn-end",
    });
  });

  it("leaves nothing out when the client hangs up while a page of the log is read for it", async () => {
    const rounds = createTurnRounds(turnOf(60_000), "first");
    const gone = new AbortController();
    const client = slowReader();
    const answered = rounds.last.follow(client.take, gone.signal);
    await hears(client);
    say("I am");
    const more = " on it".repeat(30_000);
    say(more);
    const readLog = store.read.bind(store);
    store.read = async (...asked) => {
      const page = await readLog(...asked);
      if (page.length > 0) gone.abort();
      return page;
    };
    client.release();
    await answered;
    const second = rounds.begin("second");
    await log.append([{ event: completedEnd }]);
    expect({ client: client.words.join("|"), second: (await read(second)).replace(more, "more") }).toEqual({
      client: "tool-call|I am",
      second: "more|turn-end",
    });
  });

  it("doubles nothing that the client was given from the log because it fell behind", async () => {
    const rounds = createTurnRounds(turnOf(60_000), "first");
    const client = slowReader();
    const answered = rounds.last.follow(client.take, never);
    await hears(client);
    say("I am");
    const more = " on it".repeat(30_000);
    say(more);
    client.release();
    await expect.poll(() => client.words.join("").length).toBe(`tool-callI am${more}`.length);
    const second = rounds.begin("second");
    await answered;
    await log.append([{ event: completedEnd }]);
    expect(await read(second)).toBe("turn-end");
  });

  it("ends with the same word as for a client that is quick, and the next one goes on from there", async () => {
    const rounds = createTurnRounds(turnOf(60_000), "first");
    const { last: first } = rounds;
    const [quick, slow, next] = [reader(false), slowReader(), reader(true)];
    const answered = [first.follow(quick.take, never), first.follow(slow.take, never)];
    await hears(quick, slow);
    for (const word of ["I am", " on"]) say(word);
    answered.push(rounds.begin("second").follow(next.take, never));
    say(" it.");
    slow.release();
    await log.append([{ event: completedEnd }]);
    await Promise.all(answered);
    expect([quick, slow, next].map(({ words }) => words.join(""))).toEqual([
      "tool-callI am on",
      "tool-callI am on",
      " it.turn-end",
    ]);
  });
});
