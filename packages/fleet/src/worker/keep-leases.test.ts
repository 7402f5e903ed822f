import { CaretError } from "@caret/protocol";
import { beforeEach, expect, it } from "vitest";
import { LEASE_MS } from "../members/members.ts";
import { ANYWHERE } from "../queue/job-queue.ts";
import { createSessionLeases } from "../queue/session-leases.ts";
import type { Claim } from "../queue/turn-queue.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { type KeepLeasesOptions, keepLeases } from "./keep-leases.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});
beforeEach(() => database.empty());

const cutOff = (): Error => new CaretError("storage-failed", "PostgreSQL cannot be reached");
const claimOf = (key: string, fence: number): Claim => ({
  key,
  kind: "session",
  fence,
  job: { id: "", retryCount: 0, queue: ANYWHERE, key },
  claimedAt: 0,
});

/** A worker that holds these claims. `renewed` resolves with the first renewal. */
function keep(held: readonly Claim[], more: Partial<KeepLeasesOptions> = {}) {
  const renewed = Promise.withResolvers<void>();
  const lost: Claim[] = [];
  const end = keepLeases({
    database,
    owner: "worker-1",
    claims: { held: () => held, lose: (claims) => void lost.push(...claims) },
    sessions: createSessionLeases(database, "worker-1"),
    onLost: () => undefined,
    onAllLost: () => undefined,
    meter: { renewed: renewed.resolve, lost: () => undefined },
    onError: (error) => expect.unreachable(error.message),
    monotonic: () => performance.now(),
    renewMs: 10,
    ...more,
  });
  return { renewed: renewed.promise, lost, end };
}

async function own(key: string, fence: number): Promise<void> {
  await database.query(
    `insert into work (key, kind, queue, owner, fence, lease_until)
     values ($1, 'session', $2, 'worker-1', $3, now() + interval '1 second')`,
    [key, ANYWHERE, fence],
  );
}

it("a key that the worker works on no more runs out: it had given it up while the database was away", async () => {
  for (const key of ["given up", "worked on"]) await own(key, 1);
  const { renewed, lost, end } = keep([claimOf("worked on", 1)]);
  await renewed;
  end();
  const { rows } = await database.query(
    "select key, lease_until > now() + interval '5 seconds' as renewed from work order by key",
  );
  expect({ rows, lost }).toEqual({
    rows: [
      { key: "given up", renewed: false },
      { key: "worked on", renewed: true },
    ],
    lost: [],
  });
});

it("a key that is held under another number by now is lost under the one that it was held under", async () => {
  for (const key of ["claimed again", "worked on"]) await own(key, 2);
  const { renewed, lost, end } = keep([claimOf("claimed again", 1), claimOf("worked on", 2), claimOf("taken", 1)]);
  await renewed;
  end();
  expect(lost.slice(0, 2)).toEqual([claimOf("claimed again", 1), claimOf("taken", 1)]);
});

it("a worker that is cut off gives everything up before its leases have run out", async () => {
  let ahead = 0;
  const monotonic = (): number => performance.now() + ahead;
  const startedAt = monotonic();
  const given = Promise.withResolvers<number>();
  const { end } = keep([], {
    monotonic,
    renewMs: 3_000,
    database: { ...database, query: () => new Promise(() => undefined) },
    onAllLost: () => given.resolve(monotonic() - startedAt),
  });
  ahead = LEASE_MS - 2_500;
  const after = await given.promise;
  end();
  expect(after).toBeLessThan(LEASE_MS - 1_000);
});

it("a worker that comes back after a cut has given everything up once, and is sure again when it has renewed", async () => {
  let ahead = 0;
  let isCut = true;
  let lapses = 0;
  const sessions = createSessionLeases(database, "worker-1");
  const lapsed = Promise.withResolvers<void>();
  const { end } = keep([], {
    sessions,
    // A worker without metrics counts nothing.
    meter: undefined,
    monotonic: () => performance.now() + ahead,
    database: { ...database, query: (...sent) => (isCut ? Promise.reject(cutOff()) : database.query(...sent)) },
    onAllLost: () => {
      lapses += 1;
      lapsed.resolve();
    },
    onError: () => undefined,
  });
  ahead = LEASE_MS;
  await lapsed.promise;
  const claimed = sessions.claim("s");
  isCut = false;
  await sessions.standing.sure();
  await claimed;
  // What begins from here on outlives every check of the watch.
  ahead += 5_000;
  await sessions.standing.sure();
  end();
  expect([lapses, sessions.standing.isSure, sessions.fenceOf("s")]).toEqual([1, true, 0]);
});

it("a renewal that was asked for before a cut and answered after it makes no worker sure of its leases", async () => {
  let ahead = 0;
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ rows: []; count: number }>();
  const sessions = createSessionLeases(database, "worker-1");
  const lapsed = Promise.withResolvers<void>();
  const { renewed, end } = keep([], {
    sessions,
    monotonic: () => performance.now() + ahead,
    database: {
      ...database,
      query() {
        asked.resolve();
        return answer.promise;
      },
    },
    onAllLost: lapsed.resolve,
  });
  await asked.promise;
  ahead = LEASE_MS;
  await lapsed.promise;
  answer.resolve({ rows: [], count: 0 });
  await renewed;
  const wasSure = sessions.standing.isSure;
  end();
  expect(wasSure).toBe(false);
});
