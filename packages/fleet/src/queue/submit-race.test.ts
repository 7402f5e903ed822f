import { Secret } from "@caret/protocol";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Database, Queries } from "../database/open-database.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { ANYWHERE, type JobQueue, openJobQueue } from "./job-queue.ts";
import { createTurnQueue, type TurnQueue } from "./turn-queue.ts";

let database: TestDatabase;
let jobs: JobQueue;
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

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
const queueOn = (on: Database): TurnQueue =>
  createTurnQueue({ database: on, jobs, sealer, owner: "worker", home: ANYWHERE, now: Date.now });
const submitOn = (on: Database, id: string): Promise<string> =>
  queueOn(on).submit({ id, key: "s1", kind: "session", queue: ANYWHERE, idempotencyKey: undefined, input: id });

beforeEach(async () => {
  await database.empty();
  await database.query("delete from caret_jobs.job");
});

/** A worker whose only turn has ended: its next call either finds another turn or gives the key up. */
async function workerAtEnd(): Promise<() => Promise<unknown>> {
  await submitOn(database, "t1");
  const [job] = await jobs.fetch(ANYWHERE, 1);
  const claim = job && (await queueOn(database).claim(job));
  if (claim === undefined) throw new Error("The key was not claimed");
  const how = { ended: [], isIdle: true, isLeaving: false };
  await queueOn(database).next(claim, how);
  return () => queueOn(database).next(claim, { ...how, ended: ["t1"] });
}

interface Submission {
  commit(): void;
  readonly over: Promise<string>;
}

/** A gateway that has written the turn and found that its key has a job, but has not committed yet. */
async function submitUncommitted(on: Database): Promise<Submission> {
  const reached = Promise.withResolvers<void>();
  const committed = Promise.withResolvers<void>();
  const held: Database = {
    ...on,
    transaction: (work) =>
      on.transaction(async (queries) => {
        const outcome = await work(queries);
        reached.resolve();
        await committed.promise;
        return outcome;
      }),
  };
  const over = submitOn(held, "t2");
  await Promise.race([reached.promise, over]);
  return { commit: committed.resolve, over };
}

it("a worker that gives a key up waits for the commit of a turn that is being submitted, and runs it", async () => {
  const next = await workerAtEnd();
  const submission = await submitUncommitted(database);
  const found = next();
  await expect.poll(async () => (await database.query("select 1 from pg_locks where not granted")).count).toBe(1);
  submission.commit();
  expect(await submission.over).toBe("t2");
  expect(await found).toEqual({ id: "t2", input: "t2", waitedMs: expect.any(Number) });
});

/** The same submission, except that its first statement does not touch the key's row. */
function withoutLock(): Database {
  const bare = (queries: Queries): Queries => ({
    query: (sql, ...rest) => queries.query(sql.replace(/do update set queue = .*/, "do nothing"), ...rest),
  });
  return { ...database, transaction: (work) => database.transaction((queries) => work(bare(queries))) };
}

it("without a lock of the key's row the same turn is stranded: it waits, and there is no job that wakes a worker", async () => {
  // The foreign key of `turns` locks that row as well.
  await database.query("alter table turns drop constraint turns_key_fkey");
  const next = await workerAtEnd();
  const submission = await submitUncommitted(withoutLock());
  const found = await next();
  submission.commit();
  expect({ found, submitted: await submission.over }).toEqual({ found: "over", submitted: "t2" });
  const { rows } = await database.query("select id from turns where state = 'queued'");
  expect({ queued: rows, jobs: await jobs.fetch(ANYWHERE, 1) }).toEqual({ queued: [{ id: "t2" }], jobs: [] });
});
