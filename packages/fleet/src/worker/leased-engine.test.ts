import type { RunningTurn, SessionEngine } from "@caret/runtime";
import { beforeEach, expect, it } from "vitest";
import { openPostgresEventStore } from "../log/postgres-event-store.ts";
import { createSessionLeases, type SessionLeases } from "../queue/session-leases.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createLeasedEngine } from "./leased-engine.ts";

let database: TestDatabase;
let leases: SessionLeases;
shareTestDatabase((opened) => {
  database = opened;
});
beforeEach(async () => {
  await database.empty();
  leases = createSessionLeases(database, "worker-1");
  const store = await openPostgresEventStore({ database, owner: "worker-1", ...leases });
  await store.createSession({ id: "s", workspace: "/w", createdAt: 1 });
  await store.close();
});

/** An engine whose turns end when the test says so. `unendedLooks`: checks during which the log lacks a turn's end. */
function scriptedEngine({ unendedLooks = 0 } = {}) {
  let looks = 0;
  const running = new Map<string, RunningTurn>();
  const ends: (() => void)[] = [];
  const beginTurn = async ({ sessionId = "" }: { readonly sessionId?: string | undefined }) => {
    if (running.has(sessionId)) throw new Error("busy");
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = { sessionId, turnId: `t${ends.length + 1}`, settled: promise } as RunningTurn;
    running.set(sessionId, turn);
    ends.push(() => {
      running.delete(sessionId);
      resolve();
    });
    return turn;
  };
  const engine = {
    runningTurn: (sessionId: string) => running.get(sessionId),
    hasUnendedTurn: () => looks++ < unendedLooks,
    beginTurn,
    startTurn: beginTurn,
    holdSession: (_sessionId: string, work: () => Promise<unknown>) => work(),
  } as unknown as SessionEngine;
  return { engine: createLeasedEngine({ engine, leases, onTurn: () => undefined }), ends };
}

const holder = async (): Promise<unknown> =>
  (await database.query("select owner, fence from sessions where id = 's'")).rows[0];

it("a turn that begins while the one before it is cleaned up keeps the session", async () => {
  const { engine, ends } = scriptedEngine({ unendedLooks: 1 });
  const first = await engine.beginTurn({ sessionId: "s", prompt: "One" });
  ends[0]?.();
  const second = await engine.beginTurn({ sessionId: "s", prompt: "Two" });
  await first.settled;
  expect([await holder(), leases.fenceOf("s")]).toEqual([{ owner: "worker-1", fence: 2 }, 2]);
  ends[1]?.();
  await second.settled;
  expect([await holder(), leases.fenceOf("s")]).toEqual([{ owner: null, fence: 2 }, -1]);
});

it("a turn that is refused because one runs, and work that holds the session, leave it to the turn that runs", async () => {
  const { engine, ends } = scriptedEngine();
  const turn = await engine.beginTurn({ sessionId: "s", prompt: "One" });
  await expect(engine.beginTurn({ sessionId: "s", prompt: "Two" })).rejects.toThrow("busy");
  await engine.holdSession("s", async () => undefined);
  expect(await holder()).toMatchObject({ owner: "worker-1" });
  ends[0]?.();
  await turn.settled;
  expect(await holder()).toMatchObject({ owner: null });
});

it("no other worker can begin a turn while work holds the session, and one can afterwards", async () => {
  const { engine } = scriptedEngine();
  const during = await engine.holdSession("s", holder);
  expect([during, await holder()]).toMatchObject([{ owner: "worker-1" }, { owner: null }]);
});

it("turns that are refused at the same time because one runs leave it to the turn that runs, which lets it go", async () => {
  const { engine, ends } = scriptedEngine();
  const turn = await engine.beginTurn({ sessionId: "s", prompt: "One" });
  const [two, three] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works = [two, three].map(({ promise }) => engine.holdSession("s", () => promise));
  two.resolve();
  await works[0];
  three.resolve();
  await works[1];
  const during = await holder();
  ends[0]?.();
  await turn.settled;
  expect([during, await holder(), leases.fenceOf("s")]).toMatchObject([{ owner: "worker-1" }, { owner: null }, -1]);
});
