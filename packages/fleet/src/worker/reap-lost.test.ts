import { CaretError, Secret } from "@caret/protocol";
import type { EventStore, RunningTurn, SessionEngine } from "@caret/runtime";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openPostgresEventStore } from "../log/postgres-event-store.ts";
import { ANYWHERE, type JobQueue, openJobQueue } from "../queue/job-queue.ts";
import { createSessionLeases, type SessionLeases } from "../queue/session-leases.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { createLeasedEngine } from "./leased-engine.ts";
import { reapLost } from "./reap-lost.ts";

const OWNER = "here/worker-1";

let database: TestDatabase;
let jobs: JobQueue;
let leases: SessionLeases;
let store: EventStore;
shareTestDatabase((opened) => {
  database = opened;
});
beforeAll(async () => {
  jobs = await openJobQueue({ database, isWorker: false, onError: (error) => expect.unreachable(error.message) });
  await jobs.open(ANYWHERE);
});
afterAll(async () => {
  await jobs.close();
});
/** A session whose worker was lost in the middle of a turn. */
beforeEach(async () => {
  await database.empty();
  leases = createSessionLeases(database, OWNER);
  store = await openPostgresEventStore({ database, owner: OWNER, ...leases });
  await store.createSession({ id: "s", workspace: "/w", createdAt: 1 });
  await leases.claim("s");
  await store.append("s", 0, [
    { turnId: "t1", event: { type: "turn-start", turnId: "t1", lane: "sim", workspace: "/w" } },
  ]);
  leases.abandon("s");
  await database.query("update sessions set owner = 'lost', lease_until = now() - interval '1 second'");
});

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
const recorded: unknown[] = [];

/** One pass; `meanwhile` runs while the pass holds the session. */
async function reapOnce(meanwhile: (engine: SessionEngine) => Promise<unknown>): Promise<void> {
  const inner: Partial<SessionEngine> = {
    async holdSession(_sessionId, work) {
      await meanwhile(engine);
      return await work();
    },
    beginTurn: async () => ({ settled: new Promise<void>(() => undefined) }) as Partial<RunningTurn> as RunningTurn,
  };
  const engine = createLeasedEngine({ engine: inner as SessionEngine, leases, onTurn: () => undefined });
  const end = reapLost({
    database,
    owner: OWNER,
    jobs,
    listener: { on: () => () => undefined, again: () => undefined },
    sessions: leases,
    engine,
    store,
    sealer,
    recordUnbegun: async (turnId, asked, reason) => {
      recorded.push([turnId, asked, reason.code]);
      return true;
    },
    notifier: { hint: () => undefined, close: async () => undefined },
    onError: (error) => expect.unreachable(error.message),
  });
  await end();
}

const ownerOf = async (): Promise<unknown> => (await database.query("select owner from sessions")).rows[0]?.["owner"];

it("ends the turn of a lost worker as interrupted, and lets its session go", async () => {
  await reapOnce(async () => undefined);
  const log = await store.read("s");
  expect([await ownerOf(), log.map(({ event }) => event)]).toMatchObject([
    null,
    [{ type: "turn-start" }, { type: "turn-end", outcome: { kind: "failed", error: { code: "interrupted" } } }],
  ]);
});

it("leaves the session to a turn that begins here while the lost one is being ended", async () => {
  await reapOnce((engine) => engine.beginTurn({ prompt: "Hi", sessionId: "s" }));
  expect([await ownerOf(), leases.fenceOf("s") > 0]).toEqual([OWNER, true]);
});

it("leaves a session alone whose turn runs here although its lease had run out", async () => {
  await reapOnce(() => Promise.reject(new CaretError("session-busy", "A turn of the session runs")));
  const log = await store.read("s");
  expect(log.map(({ event }) => event.type)).toEqual(["turn-start"]);
});

it("writes the end of a turn that was stopped in the queue into the log, once", async () => {
  await database.query("insert into work (key, kind, queue) values ('s', 'session', 'q')");
  await database.query("insert into turns (id, key, state, input) values ('t2', 's', 'withdrawn', $1)", [
    sealer.seal({ prompt: "Hi" }),
  ]);
  for (let pass = 0; pass < 2; pass += 1) await reapOnce(async () => undefined);
  expect(recorded).toEqual([["t2", { prompt: "Hi" }, "cancelled"]]);
});
