import type { AgentEvent, EventEnvelope, SessionUpdate } from "@caret/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventStore } from "../log/event-store.ts";
import {
  anyone,
  createSessionBench,
  isEndOf,
  isStatus,
  nextBatch,
  readUntil,
  type SessionBench,
} from "./testing/session-bench.ts";

let bench: SessionBench;
beforeEach(() => {
  bench = createSessionBench();
});
afterEach(() => bench.close());

const forever = (): AbortSignal => new AbortController().signal;
const text = (value: string): AgentEvent => ({ type: "text-delta", blockId: "b", text: value });
const append = (store: EventStore, id: string, seq: number, count: number) =>
  store.append(
    id,
    seq,
    Array.from({ length: count }, (_, index) => ({ turnId: "t", event: text(`${seq + index + 1}`), raw: "r" })),
  );
const newSession = async (): Promise<string> => (await bench.sessions.create({}, anyone)).id;
const follow = (id: string, after = 0, more: object = {}) =>
  bench.sessions.followLog(id, { after, signal: forever(), ...more }, anyone);
const seqs = (events: readonly EventEnvelope[]): number[] => events.map(({ seq }) => seq);
const upTo = (last: number, from = 1): number[] => Array.from({ length: last - from + 1 }, (_, index) => from + index);

describe("following a session's log", () => {
  it("goes on across turns, and gives each event once", async () => {
    const id = await newSession();
    const events = follow(id)[Symbol.asyncIterator]();
    const all: EventEnvelope[] = [];
    const readTo = async (turnId: string): Promise<void> => {
      while (!all.some(isEndOf(turnId))) all.push(...(await nextBatch(events)));
    };
    await readTo((await bench.turn(id, "One")).turnId);
    await readTo((await bench.turn(id, "Two")).turnId);
    await events.return?.();
    const { events: log, lastSeq } = await bench.sessions.readLog(id, {}, anyone);
    expect(all).toEqual(log);
    expect(seqs(all)).toEqual(upTo(lastSeq));
  });

  it("begins anywhere, and brings raw lines only when asked to", async () => {
    const id = await newSession();
    await append(bench.store, id, 0, 3);
    const bare = { sessionId: id, seq: 3, turnId: "t", event: text("3") };
    const [last] = await readUntil(follow(id, 2), () => true);
    expect(last).toEqual({ ...bare, at: last?.at });
    const [withRaw] = await readUntil(follow(id, 2, { raw: true }), () => true);
    expect(withRaw).toEqual({ ...bare, at: last?.at, raw: "r" });
  });

  it("does not bring raw lines of what comes later either", async () => {
    const id = await newSession();
    const events = follow(id)[Symbol.asyncIterator]();
    const first = events.next();
    await append(bench.store, id, 0, 1);
    expect((await first).value?.[0]).not.toHaveProperty("raw");
    const second = events.next();
    await append(bench.store, id, 1, 1);
    expect((await second).value?.[0]).not.toHaveProperty("raw");
    await events.return?.();
  });

  it("sees what another process writes, before and after what this one writes", async () => {
    const id = await newSession();
    const guest = bench.guest();
    const events = follow(id)[Symbol.asyncIterator]();
    const all: number[] = [];
    const readTo = async (last: number): Promise<void> => {
      while ((all.at(-1) ?? 0) < last) all.push(...seqs(await nextBatch(events)));
    };
    await append(bench.store, id, 0, 2);
    await readTo(2);
    await append(guest, id, 2, 3);
    await readTo(5);
    await append(guest, id, 5, 1);
    await append(bench.store, id, 6, 1);
    await readTo(7);
    await events.return?.();
    expect(all).toEqual(upTo(7));
  });

  it("ends when the session is deleted, by any process", async () => {
    const [mine, theirs] = [await newSession(), await newSession()];
    const ends = [mine, theirs].map((id) => readUntil(follow(id), () => false));
    await bench.sessions.delete(mine, anyone);
    await bench.guest().deleteSession(theirs);
    expect(await Promise.all(ends)).toEqual([[], []]);
  });

  it("ends with the signal, and when the sessions closes", async () => {
    const id = await newSession();
    const controller = new AbortController();
    const left = readUntil(follow(id, 0, { signal: controller.signal }), () => false);
    const stayed = readUntil(follow(id), () => false);
    controller.abort();
    expect(await left).toEqual([]);
    await bench.sessions.close();
    expect(await stayed).toEqual([]);
  });

  it("loses nothing of a flood for a reader that is slow, or that comes back at any place", async () => {
    const id = await newSession();
    const total = 900;
    const slow = follow(id)[Symbol.asyncIterator]();
    const all = [...seqs((await startSlow(slow, id)).value ?? [])];
    for (let seq = 1; seq < total; seq += 100) await append(bench.store, id, seq, Math.min(100, total - seq));
    while ((all.at(-1) ?? 0) < total) all.push(...seqs(await nextBatch(slow)));
    await slow.return?.();
    expect(all).toEqual(upTo(total));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: total - 1 }), async (after) => {
        const rest = await readUntil(follow(id, after), ({ seq }) => seq === total);
        expect(seqs(rest)).toEqual(upTo(total, after + 1));
      }),
      { numRuns: 10 },
    );
  });

  const startSlow = async (slow: AsyncIterator<readonly EventEnvelope[]>, id: string) => {
    const first = slow.next();
    await append(bench.store, id, 0, 1);
    return await first;
  };

  it("keeps no more than a little in memory for a slow reader, also of what tools printed", async () => {
    const id = await newSession();
    await append(bench.store, id, 0, 1);
    const events = follow(id)[Symbol.asyncIterator]();
    await events.next();
    const next = events.next();
    await append(bench.store, id, 1, 1);
    await next;
    const printed: AgentEvent = { type: "tool-result", callId: "c", status: "ok", output: "x".repeat(10_000) };
    for (let seq = 2; seq < 122; seq += 40)
      await bench.store.append(
        id,
        seq,
        Array.from({ length: 40 }, () => ({ turnId: "t", event: printed })),
      );
    const { value = [] } = await events.next();
    // Read from the log, page by page: memory would have given all at once.
    expect(seqs(value)).toEqual(upTo(34, 3));
    await events.return?.();
  });

  it("is for sessions that exist", async () => {
    await expect(readUntil(follow("nobody"), () => true)).rejects.toMatchObject({ code: "session-not-found" });
  });
});

describe("a page of the log", () => {
  it("is after an event or before one, with the session's end beside it", async () => {
    const id = await newSession();
    await append(bench.store, id, 0, 5);
    const page = async (query: object) => {
      const { events, lastSeq } = await bench.sessions.readLog(id, query, anyone);
      return [seqs(events), lastSeq];
    };
    expect(await page({})).toEqual([[1, 2, 3, 4, 5], 5]);
    expect(await page({ after: 2, limit: 2 })).toEqual([[3, 4], 5]);
    expect(await page({ before: 5, limit: 2 })).toEqual([[3, 4], 5]);
    expect(await page({ before: 1 })).toEqual([[], 5]);
    await expect(page({ after: 1, before: 3 })).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("has as many events as asked for, whatever their number", async () => {
    const id = await newSession();
    await append(bench.store, id, 0, 450);
    const page = async (query: object): Promise<number[]> =>
      seqs((await bench.sessions.readLog(id, query, anyone)).events);
    expect(await page({ after: 10, limit: 250 })).toEqual(upTo(260, 11));
    expect(await page({ before: 440, limit: 250 })).toEqual(upTo(439, 190));
    expect(await page({ before: 999, limit: 1000 })).toEqual(upTo(450));
    expect(await page({ after: 350, limit: 100 })).toEqual(upTo(450, 351));
  });

  it("has fewer when they are large, so that no session is too large to be opened", async () => {
    const id = await newSession();
    const large = Array.from({ length: 250 }, () => ({ turnId: "t", event: text("x".repeat(200_000)) }));
    await bench.store.append(id, 0, large);
    const newest = await bench.sessions.readLog(id, { before: 999, limit: 250 }, anyone);
    const oldest = await bench.sessions.readLog(id, { after: 0, limit: 250 }, anyone);
    expect([seqs(newest.events), seqs(oldest.events)]).toEqual([upTo(250, 151), upTo(100)]);
    expect([newest.lastSeq, oldest.lastSeq]).toEqual([250, 250]);
  });

  it("has raw lines only when asked for them", async () => {
    const id = await newSession();
    await append(bench.store, id, 0, 1);
    const raws = async (query: object) =>
      (await bench.sessions.readLog(id, query, anyone)).events.map(({ raw }) => raw);
    expect([await raws({}), await raws({ after: 0, raw: true })]).toEqual([[undefined], ["r"]]);
  });
});

describe("following the updates", () => {
  it("reports how a session comes, works, ends and goes", async () => {
    const heard: SessionUpdate[] = [];
    const updates = bench.sessions.followUpdates(forever(), anyone);
    const gate = Promise.withResolvers<void>();
    bench.manner({ until: gate.promise });
    const reading = (async () => {
      for await (const batch of updates) {
        heard.push(...batch);
        if (batch.some(isStatus("running"))) gate.resolve();
        if (batch.some(({ kind }) => kind === "deleted")) return;
      }
    })();
    const id = await newSession();
    await bench.turn(id, "Go");
    await bench.sessions.delete(id, anyone);
    await reading;
    const kinds = heard.map((item) => (item.kind === "changed" ? item.session.status.kind : item.kind));
    expect([...new Set(kinds)].filter((kind) => kind !== "idle" && kind !== "ended")).toEqual(["running", "deleted"]);
  });

  it("reports a flood of changes of one session as few", async () => {
    await bench.close();
    bench = createSessionBench({ updatesMs: 100 });
    const id = await newSession();
    const updates = bench.sessions.followUpdates(forever(), anyone)[Symbol.asyncIterator]();
    for (let seq = 0; seq < 300; seq += 1) await append(bench.store, id, seq, 1);
    let items = 0;
    let lastSeq = 0;
    const startedAt = performance.now();
    while (lastSeq < 300) {
      const batch = await nextBatch(updates);
      items += batch.length;
      lastSeq = batch[0]?.kind === "changed" ? batch[0].session.lastSeq : lastSeq;
    }
    await updates.return?.();
    expect(items).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 100);
  });

  it("reports what other processes do: create, write, delete", async () => {
    const guest = bench.guest();
    const updates = bench.sessions.followUpdates(forever(), anyone)[Symbol.asyncIterator]();
    const next = async (isIt: (item: SessionUpdate) => boolean): Promise<SessionUpdate> => {
      for (;;) {
        const found = (await nextBatch(updates)).find(isIt);
        if (found !== undefined) return found;
      }
    };
    await guest.createSession({ id: "theirs", workspace: bench.workspace, createdAt: Date.now() });
    expect(await next(() => true)).toMatchObject({ kind: "changed", session: { id: "theirs", lastSeq: 0 } });
    const start: AgentEvent = { type: "turn-start", turnId: "t", lane: "cli", prompt: "Hi" };
    await guest.append("theirs", 0, [{ turnId: "t", event: start }]);
    expect(await next(isStatus("running"))).toMatchObject({ session: { id: "theirs", lastLine: "Hi" } });
    const end: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };
    await guest.append("theirs", 1, [{ turnId: "t", event: end }]);
    await guest.deleteSession("theirs");
    expect(await next(({ kind }) => kind === "deleted")).toEqual({ kind: "deleted", sessionId: "theirs" });
    await updates.return?.();
  });

  it("misses nothing between the call and the first pull, and ends with the signal", async () => {
    const controller = new AbortController();
    const updates = bench.sessions.followUpdates(controller.signal, anyone);
    const id = await newSession();
    const iterator = updates[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject([{ kind: "changed", session: { id } }]);
    const last = iterator.next();
    controller.abort();
    expect(await last).toEqual({ done: true, value: undefined });
  });
});
