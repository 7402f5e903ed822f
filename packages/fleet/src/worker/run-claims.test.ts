import { Secret } from "@caret/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { UnknownCommit } from "../database/database-error.ts";
import { ANYWHERE, type JobQueue, openJobQueue } from "../queue/job-queue.ts";
import { createLeaseStanding } from "../queue/lease-standing.ts";
import { createTurnQueue, type TurnQueue } from "../queue/turn-queue.ts";
import { type HintListener, openHintListener } from "../seat/hint-listener.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { type RunningClaims, runClaims } from "./run-claims.ts";

let database: TestDatabase;
let jobs: JobQueue;
let listener: HintListener;
let claims: RunningClaims | undefined;
let standing = createLeaseStanding();
const onError = (error: Error): void => void expect.unreachable(error.message);
shareTestDatabase((opened) => {
  database = opened;
});
beforeAll(async () => {
  jobs = await openJobQueue({ database, isWorker: false, onError });
  await jobs.open(ANYWHERE);
});
afterAll(async () => {
  await jobs.close();
});
beforeEach(async () => {
  await database.empty();
  await database.query("delete from caret_jobs.job");
  listener = openHintListener({ database, onError, pollMs: 20 });
});
afterEach(async () => {
  for (const { end } of taken.splice(0)) end();
  await claims?.drain();
  await listener.close();
});

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));

/** The turns started here, in order. */
const taken: { readonly id: string; readonly lost: AbortSignal; readonly end: () => void }[] = [];

function start(queue: Partial<TurnQueue> = {}): void {
  standing = createLeaseStanding();
  claims = runClaims({
    jobs,
    turns: { ...turns(), ...queue },
    listener,
    standing,
    queues: [ANYWHERE],
    capacity: 4,
    run: async ({ id }, _claim, lost) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      taken.push({ id, lost, end: resolve });
      await promise;
    },
    onError: () => undefined,
  });
}

const turns = (): TurnQueue =>
  createTurnQueue({ database, jobs, sealer, owner: "worker-1", home: ANYWHERE, now: Date.now });
const submit = (id: string): Promise<string> =>
  turns().submit({ id, key: "s1", kind: "session", queue: ANYWHERE, idempotencyKey: undefined, input: id });
const started = async (count: number): Promise<void> =>
  await expect.poll(() => taken.length, { timeout: 5_000 }).toBe(count);

it("a claim is lost under its own number only: a renewal that began before it must not stop its turn", async () => {
  await submit("t1");
  start();
  await started(1);
  const [claim] = claims?.held() ?? [];
  if (claim === undefined) throw new Error("Nothing is held");
  claims?.lose([{ ...claim, fence: claim.fence - 1 }]);
  const before = taken[0]?.lost.aborted;
  claims?.lose([claim]);
  expect([before, taken[0]?.lost.aborted, claims?.held()]).toEqual([false, true, []]);
});

it("a key that was lost and claimed again stays held when what was left of the first claim is over", async () => {
  await submit("t1");
  start();
  await started(1);
  claims?.lose(claims.held());
  await database.query("update work set owner = null, lease_until = null, job = null, fence = fence + 1");
  await database.query("delete from caret_jobs.job");
  await submit("t2");
  await started(2);
  taken[0]?.end();
  // The continuation runs after the end of the first claim, in the same round of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(claims?.held()).toMatchObject([{ key: "s1", fence: 3 }]);
});

it("a turn that was taken in a commit whose answer was lost is started all the same, once", async () => {
  const { next } = turns();
  let isLost = false;
  start({
    async next(claim, how) {
      const found = await next(claim, how);
      if (isLost || typeof found !== "object") return found;
      isLost = true;
      throw new UnknownCommit("The connection was lost during a commit");
    },
  });
  await submit("t1");
  await submit("t2");
  await started(1);
  taken[0]?.end();
  await started(2);
  taken[1]?.end();
  await expect.poll(() => claims?.held()).toEqual([]);
  const { rows } = await database.query("select id, state from turns order by position");
  expect({ rows, taken: taken.map(({ id }) => id) }).toEqual({
    rows: [
      { id: "t1", state: "done" },
      { id: "t2", state: "done" },
    ],
    taken: ["t1", "t2"],
  });
});

it("a worker that was cut off takes nothing before a renewal has succeeded, and then what waits", async () => {
  start();
  standing.lapse();
  await submit("t1");
  // Every poll of the listener makes it look, and several pass.
  for (let poll = 0; poll < 10; poll += 1)
    await new Promise((resolve) => listener.on("work", ANYWHERE, () => resolve(0)));
  expect([taken.length, claims?.held()]).toEqual([0, []]);
  standing.renewed();
  await started(1);
  expect(taken[0]?.lost.aborted).toBe(false);
});

it("a key that was claimed before a cut and answered after it is given back, and claimed again under another number", async () => {
  const { claim } = turns();
  let isFirst = true;
  start({
    async claim(job) {
      const claimed = await claim(job);
      if (isFirst) {
        isFirst = false;
        standing.lapse();
        standing.renewed();
      }
      return claimed;
    },
  });
  await submit("t1");
  await started(1);
  expect(claims?.held()).toMatchObject([{ key: "s1", fence: 2 }]);
});
