import { CaretError, Secret } from "@caret/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPostgresEventStore } from "../log/postgres-event-store.ts";
import { findSession } from "../log/session-sql.ts";
import { createMembers } from "../members/members.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { recordUnbegun } from "../worker/record-unbegun.ts";
import { ANYWHERE, type JobQueue, machineQueue, openJobQueue } from "./job-queue.ts";
import { moveSession } from "./move-session.ts";
import { readFleet } from "./read-fleet.ts";
import { reapWork } from "./reap.ts";
import { type Claim, createTurnQueue, type TurnQueue } from "./turn-queue.ts";

let database: TestDatabase;
let jobs: JobQueue;
let first: TurnQueue;
let second: TurnQueue;
shareTestDatabase((opened) => {
  database = opened;
});
beforeAll(async () => {
  jobs = await openJobQueue({ database, isWorker: false, onError: (error) => expect.unreachable(error.message) });
  for (const queue of [ANYWHERE, machineQueue("elsewhere")]) await jobs.open(queue);
  first = queueOf("worker-1");
  second = queueOf("worker-2");
});
afterAll(async () => {
  await jobs.close();
});
beforeEach(async () => {
  await database.empty();
  await database.query("delete from caret_jobs.job");
});

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
const queueOf = (owner: string): TurnQueue =>
  createTurnQueue({ database, jobs, sealer, owner, home: ANYWHERE, now: Date.now });
const idle = { ended: [], isIdle: true, isLeaving: false };

const submit = (id: string, input: unknown = id, idempotencyKey?: string): Promise<string> =>
  first.submit({ id, key: "s1", kind: "session", queue: ANYWHERE, idempotencyKey, input });

async function claimed(queue = first): Promise<Claim> {
  const [job] = await jobs.fetch(ANYWHERE, 1);
  if (job === undefined) throw new Error("There is no job");
  const claim = await queue.claim(job);
  if (claim === undefined) throw new Error("The key is held by another worker");
  return claim;
}

async function states(): Promise<unknown> {
  const { rows } = await database.query("select id, state, input is null as blank from turns order by position");
  return rows;
}

describe("turns of a session", () => {
  it("are started once each, in their order, and leave one job while any waits", async () => {
    for (const id of ["t1", "t2"]) await submit(id, { prompt: id });
    const claim = await claimed();
    expect(await jobs.fetch(ANYWHERE, 5)).toEqual([]);
    expect(await first.next(claim, idle)).toEqual({ id: "t1", input: { prompt: "t1" }, waitedMs: expect.any(Number) });
    expect(await first.next(claim, { ...idle, ended: ["t1"] })).toEqual({
      id: "t2",
      input: { prompt: "t2" },
      waitedMs: expect.any(Number),
    });
    expect(await first.next(claim, { ...idle, ended: ["t2"] })).toBe("over");
    expect(await states()).toEqual([
      { id: "t1", state: "done", blank: true },
      { id: "t2", state: "done", blank: true },
    ]);
    await submit("t3");
    expect(await claimed(second)).toMatchObject({ key: "s1", fence: claim.fence + 1 });
  });

  it("are the same turn under the same idempotency key, at whichever gateway it is asked for", async () => {
    expect(await submit("t1", "x", "key")).toBe("t1");
    expect(await submit("t2", "x", "key")).toBe("t1");
    expect(await states()).toEqual([{ id: "t1", state: "queued", blank: false }]);
  });

  it("keep no plain text of a prompt in the database", async () => {
    await submit("t1", { prompt: "the password is hunter2" });
    const { rows } = await database.query("select position('hunter2' in encode(input, 'escape')) as found from turns");
    expect(rows).toEqual([{ found: 0 }]);
  });

  it("wait for another worker when theirs leaves", async () => {
    for (const id of ["t1", "t2"]) await submit(id);
    const claim = await claimed();
    await first.next(claim, idle);
    expect(await first.next(claim, { ended: ["t1"], isIdle: true, isLeaving: true })).toBe("over");
    expect(await second.next(await claimed(second), idle)).toMatchObject({ id: "t2" });
  });
});

describe("a worker whose lease has run out", () => {
  const expire = (): Promise<unknown> => database.query("update work set lease_until = now() - interval '1 second'");

  it("keeps its key until its turn is in the log: a client may follow the session until the end of that turn", async () => {
    const store = await openPostgresEventStore({ database });
    await store.createSession({ id: "s1", workspace: "/w", createdAt: 1 });
    await submit("t1");
    await first.next(await claimed(), idle);
    await expire();
    const before = await reapWork(database, jobs);
    const start = {
      type: "turn-start",
      turnId: "t1",
      lane: "sim",
      model: "auto",
      workspace: "/w",
      prompt: "?",
    } as const;
    await store.append("s1", 0, [{ turnId: "t1", event: start }]);
    expect([before, await reapWork(database, jobs)]).toEqual([
      { interrupted: [], queues: [] },
      { interrupted: ["t1"], queues: [] },
    ]);
    await store.close();
  });

  it("loses its key: its turn is interrupted, not started again, and what waits goes on elsewhere", async () => {
    for (const id of ["t1", "t2"]) await submit(id);
    const lost = await claimed();
    await first.next(lost, idle);
    await expire();
    expect(await reapWork(database, jobs)).toEqual({ interrupted: ["t1"], queues: [ANYWHERE] });
    expect(await first.next(lost, { ...idle, ended: ["t1"] })).toBe("lost");
    expect(await second.next(await claimed(second), idle)).toMatchObject({ id: "t2" });
    expect(await states()).toMatchObject([
      { id: "t1", state: "interrupted" },
      { id: "t2", state: "running" },
    ]);
  });

  it("is left alone while the lease holds", async () => {
    await submit("t1");
    await first.next(await claimed(), idle);
    expect(await reapWork(database, jobs)).toEqual({ interrupted: [], queues: [] });
  });
});

it("turns whose job was fetched by a worker that died before it had claimed their key get another one", async () => {
  await submit("t1");
  await jobs.fetch(ANYWHERE, 1);
  await database.query("update caret_jobs.job set started_on = now() - interval '1 minute'");
  await database.query("update turns set submitted_at = now() - interval '1 minute'");
  await reapWork(database, jobs);
  expect(await first.next(await claimed(), idle)).toMatchObject({ id: "t1" });
});

const elsewhere = machineQueue("elsewhere");

describe("a session of a machine", () => {
  const member = { id: "w2", role: "worker", machine: "elsewhere", version: "1", about: {}, isLeaving: false } as const;
  const homed = async (): Promise<void> => {
    await database.query(
      `insert into sessions (id, workspace, created_at, updated_at, search_text, upstream, home_machine)
       values ('s1', '/w', 1, 1, '', '[{"lane":"cli","sessionId":"c"},{"lane":"api","sessionId":"a"}]', 'laptop')`,
    );
    await jobs.open(machineQueue("laptop"));
    const queue = machineQueue("laptop");
    await first.submit({ id: "t1", key: "s1", kind: "session", queue, idempotencyKey: undefined, input: "t1" });
  };
  const waits = async () => (await findSession(database, "s1"))?.machineWait;

  it("waits visibly for a machine that no worker is on", async () => {
    await homed();
    expect(await waits()).toEqual({ machine: "laptop", turnId: "t1", since: expect.any(Number) });
    await createMembers(database).note({ ...member, machine: "laptop" });
    expect(await waits()).toBeUndefined();
  });

  it("is moved to a machine that has a worker: what waits runs there, without the chats of the first, and only there", async () => {
    await homed();
    await expect(moveSession(database, "s1", "elsewhere")).rejects.toMatchObject({ code: "not-found" });
    await createMembers(database).note(member);
    await moveSession(database, "s1", "elsewhere");
    const { rows } = await database.query("select home_machine, upstream from sessions");
    expect(rows).toEqual([{ home_machine: "elsewhere", upstream: '[{"lane":"api","sessionId":"a"}]' }]);
    const [stale] = await jobs.fetch(machineQueue("laptop"), 1);
    expect(stale && (await first.claim(stale))).toBeUndefined();
    await database.query("update turns set submitted_at = now() - interval '1 minute'");
    expect(await reapWork(database, jobs)).toEqual({ interrupted: [], queues: [elsewhere] });
    const [job] = await jobs.fetch(elsewhere, 1);
    const there = createTurnQueue({ database, jobs, sealer, owner: "w2", home: elsewhere, now: Date.now });
    const claim = job && (await there.claim(job));
    expect(claim && (await there.next(claim, idle))).toEqual({ id: "t1", input: "t1", waitedMs: expect.any(Number) });
    await expect(moveSession(database, "s1", "elsewhere")).rejects.toMatchObject({ code: "session-busy" });
  });
});

describe("a job that no worker holds", () => {
  const liveJobs = async (): Promise<unknown> =>
    (
      await database.query(
        "select name, state::text as state from caret_jobs.job where state in ('created', 'retry', 'active')",
      )
    ).rows;
  const lose = async (): Promise<void> => {
    await database.query("update caret_jobs.job set started_on = now() - interval '1 minute' where state = 'active'");
  };

  it("is removed from the queue that it was sent to, when its key has another queue by now", async () => {
    await submit("t1");
    await first.next(await claimed(), idle);
    await first.submit({ id: "t2", key: "s1", kind: "session", queue: elsewhere, idempotencyKey: undefined, input: 1 });
    await database.query("update work set lease_until = now() - interval '1 second'");
    expect(await reapWork(database, jobs)).toEqual({ interrupted: ["t1"], queues: [elsewhere] });
    expect(await liveJobs()).toEqual([{ name: elsewhere, state: "created" }]);
  });

  it("is removed although nothing waits, and although another worker holds its key under another job", async () => {
    await submit("t1");
    const claim = await claimed();
    await jobs.send(elsewhere, "s1", database);
    await jobs.fetch(elsewhere, 1);
    await lose();
    expect(await reapWork(database, jobs)).toEqual({ interrupted: [], queues: [] });
    expect(await liveJobs()).toEqual([{ name: ANYWHERE, state: "active" }]);
    await first.next(claim, idle);
    expect(await first.next(claim, { ...idle, ended: ["t1"] })).toBe("over");
    expect(await liveJobs()).toEqual([]);
  });
});

it("turns whose job was lost get another one", async () => {
  await submit("t1");
  await database.query("delete from caret_jobs.job");
  await database.query("update turns set submitted_at = now() - interval '1 minute'");
  expect(await reapWork(database, jobs)).toEqual({ interrupted: [], queues: [ANYWHERE] });
  expect(await first.next(await claimed(), idle)).toMatchObject({ id: "t1" });
});

it("a fleet shows its members, and why each turn waits", async () => {
  const members = createMembers(database);
  const about = { lanes: ["sim"], capacity: 4, atWork: 1 };
  const worker = { id: "w", role: "worker", machine: "desk", version: "1", about, isLeaving: false } as const;
  for (const id of ["t1", "t2"]) await submit(id);
  expect((await readFleet(database)).waiting.map(({ reason }) => reason)).toEqual(["no-worker", "no-worker"]);
  await members.note(worker);
  await first.next(await claimed(), idle);
  const elsewhere = { id: "t3", key: "s2", kind: "session", queue: machineQueue("elsewhere"), input: "" } as const;
  await first.submit({ ...elsewhere, idempotencyKey: undefined });
  await first.submit({
    ...elsewhere,
    id: "t4",
    key: "c-1",
    kind: "conversation",
    queue: ANYWHERE,
    idempotencyKey: undefined,
  });
  const since = expect.any(Number);
  expect(await readFleet(database)).toEqual({
    members: [
      { id: "w", role: "worker", machine: "desk", version: "1", state: "there", ...about, seenAt: expect.any(Number) },
    ],
    queuedTurns: 3,
    runningTurns: 1,
    leases: 1,
    waiting: [
      { turnId: "t2", sessionId: "s1", reason: "behind-a-turn", since },
      { turnId: "t3", sessionId: "s2", machine: "elsewhere", reason: "machine-away", since },
      { turnId: "t4", reason: "workers-full", since },
    ],
  });
  await members.note({ ...worker, isLeaving: true });
  expect((await readFleet(database)).members).toMatchObject([{ state: "leaving" }]);
});

it("a turn is submitted whose idempotency key is given back by a refused one while it is looked for", async () => {
  await submit("t1", "t1", "key");
  let isGivenBack = false;
  const giveBack = async (sql: string): Promise<void> => {
    if (!sql.includes("insert into turns") || isGivenBack) return;
    isGivenBack = true;
    await database.query("update turns set idempotency_key = null where id = 't1'");
  };
  const racing: TestDatabase = {
    ...database,
    transaction: (work) =>
      database.transaction((queries) =>
        work({
          query: async (sql, ...rest) => {
            const result = await queries.query(sql, ...rest);
            await giveBack(sql);
            return result;
          },
        }),
      ),
  };
  const queue = createTurnQueue({ database: racing, jobs, sealer, owner: "w", home: ANYWHERE, now: Date.now });
  const turn = { id: "t2", key: "s1", kind: "session", queue: ANYWHERE, idempotencyKey: "key", input: "t2" } as const;
  expect({ id: await queue.submit(turn), isGivenBack }).toEqual({ id: "t2", isGivenBack: true });
});

it("a turn that never began gets its start and its end in the log, once and without secrets", async () => {
  const store = await openPostgresEventStore({ database });
  const held: string[] = [];
  const engine = {
    async holdSession<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
      held.push(sessionId);
      return await work();
    },
  };
  await store.createSession({ id: "s1", workspace: "/w", createdAt: 1 });
  const asked = {
    door: "native",
    sessionId: "s1",
    wanted: { prompt: "Use SECRET" },
    caller: { tokenName: "me" },
  } as const;
  const options = {
    database,
    store,
    engine,
    lane: "sim",
    redact: (text: string) => text.replace("SECRET", "[redacted]"),
  } as const;
  for (let time = 0; time < 2; time += 1)
    await recordUnbegun(options, "t1", asked, new CaretError("interrupted", "The worker was lost"));
  await recordUnbegun(options, "t2", asked, new CaretError("cancelled", "The turn was stopped"));
  const log = await store.read("s1");
  await store.close();
  expect(log.map(({ turnId, event }) => [turnId, event])).toMatchObject([
    ["t1", { type: "turn-start", turnId: "t1", lane: "sim", prompt: "Use [redacted]", client: "me" }],
    ["t1", { type: "turn-end", outcome: { kind: "failed", error: { code: "interrupted" } } }],
    ["t2", { type: "turn-start", turnId: "t2" }],
    ["t2", { type: "turn-end", outcome: { kind: "cancelled" } }],
  ]);
  expect(held).toEqual(["s1", "s1", "s1"]);
});
