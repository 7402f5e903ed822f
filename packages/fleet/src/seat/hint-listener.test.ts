import { kill } from "node:process";
import { afterEach, expect, it } from "vitest";
import type { Database } from "../database/open-database.ts";
import { openJobQueue } from "../queue/job-queue.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { type HintListener, type HintListenerOptions, openHintListener } from "./hint-listener.ts";
import type { WatchKind } from "./watch-sql.ts";

let database: TestDatabase;
shareTestDatabase((opened) => {
  database = opened;
});
const opened: HintListener[] = [];
afterEach(async () => {
  for (const listener of opened.splice(0)) await listener.close();
  await database.empty();
});

const onError = (error: Error): void => expect.unreachable(error.message);

/** A listener that polls all the time, with what it has asked and its connection's process. */
function listen(options: Partial<HintListenerOptions> = {}) {
  const asked: string[] = [];
  const pids: number[] = [];
  const counted: Pick<Database, "connect" | "schema"> = {
    schema: database.schema,
    async connect(onNotice, onEnd) {
      const connection = await database.connect(onNotice, onEnd);
      pids.push(Number((await connection.query("select pg_backend_pid() as pid")).rows[0]?.["pid"]));
      return {
        end: connection.end,
        query: (...statement) => {
          asked.push(statement[0]);
          return connection.query(...statement);
        },
      };
    },
  };
  const listener = openHintListener({ database: counted, onError, pollMs: 10, ...options });
  opened.push(listener);
  return { listener, asked, pids };
}

const makeSession = (id: string) =>
  database.query(
    "insert into sessions (id, workspace, created_at, updated_at, search_text) values ($1, '/w', 1, 1, '')",
    [id],
  );

it("a listener that is closed while it connects comes to its end, and leaves no connection", async () => {
  const name = "select count(*)::int as count from pg_stat_activity where query like 'listen %'";
  await openHintListener({ database, onError }).close();
  expect((await database.query(name)).rows).toEqual([{ count: 0 }]);
}, 10_000);

it("asks one statement of the database for all that is followed, and wakes only the reader whose session has changed", async () => {
  const { listener, asked } = listen();
  const looks: string[] = [];
  const ids = Array.from({ length: 50 }, (_, index) => `s${index}`);
  for (const id of ids) {
    await makeSession(id);
    listener.on("log", id, () => looks.push(id));
  }
  // What existed before it was watched: each reader looks once.
  await expect.poll(() => new Set(looks).size).toBe(50);
  const polls = async (count: number): Promise<void> => {
    const from = asked.length;
    await expect.poll(() => asked.length, { interval: 5 }).toBeGreaterThan(from + count);
  };
  await polls(3);
  looks.length = 0;
  await polls(10);
  expect(looks).toEqual([]);
  await database.query("update sessions set last_seq = 1 where id = 's7'");
  await expect.poll(() => looks).toEqual(["s7"]);
  await database.query("update sessions set updated_at = 2 where id = 's8'");
  await expect.poll(() => looks).toEqual(["s7", "s8"]);
  await database.query("delete from sessions where id = 's9'");
  await expect.poll(() => looks).toEqual(["s7", "s8", "s9"]);
  await polls(3);
  expect(looks).toEqual(["s7", "s8", "s9"]);
});

it("does not wake a reader again for what a hint has woken it for, and finds what came after that without one", async () => {
  const { listener, asked } = listen();
  await makeSession("s1");
  let looks = 0;
  listener.on("log", "s1", () => {
    looks += 1;
  });
  const polls = async (count: number): Promise<void> => {
    const from = asked.length;
    await expect.poll(() => asked.length, { interval: 5 }).toBeGreaterThan(from + count);
  };
  await polls(3);
  const hint = async (): Promise<void> => {
    await database.query("update sessions set last_seq = last_seq + 1");
    listener.hear({ kind: "log", id: "s1" });
  };
  looks = 0;
  await hint();
  await polls(4);
  // The hint, and one poll that makes sure.
  expect(looks).toBe(2);
  await hint();
  await database.query("update sessions set last_seq = last_seq + 1");
  await expect.poll(() => looks).toBeGreaterThanOrEqual(4);
  await polls(4);
  const settled = looks;
  await polls(4);
  expect(looks).toBe(settled);
});

/** A change for each kind, by a process that sends no hint. */
const changes: Readonly<Record<WatchKind, readonly [id: string | undefined, sql: string]>> = {
  log: ["s1", "update sessions set last_seq = last_seq + 1"],
  running: [undefined, "insert into running_turns (session_id, turn_id, owner) values ('s1', 't1', 'm/1')"],
  token: [undefined, "insert into tokens (name, sha256, scopes, created_at, change) values ('a', 'b', '{}', 1, 1)"],
  message: [
    undefined,
    "insert into messages (id, sender, receiver, text, digest, state, at) values ('m', 'a', 'b', 'x', 'd', 'queued', 1)",
  ],
  key: ["k1", "insert into turns (id, key) values ('t1', 'k1')"],
  turn: ["t0", "update turns set state = 'done' where id = 't0'"],
  live: ["t0", "insert into live_batches (share, number, body) values ('t0', 0, '')"],
  command: ["m/1", "insert into commands (id, target) values ('c1', 'm/1')"],
  answer: ["c0", "update commands set state = 'done' where id = 'c0'"],
  comparison: ["p0", "update comparisons set version = version + 1"],
  work: ["q", "insert into caret_jobs.job (name, data, policy) values ('q', '{}', 'exclusive')"],
  neighbours: ["m", "insert into members (id, role, machine, version) values ('m/2', 'worker', 'm', '1')"],
  lost: [undefined, "update work set owner = 'm/1', lease_until = now() - interval '1 second'"],
};

it.each(Object.entries(changes) as [WatchKind, (typeof changes)[WatchKind]][])(
  "finds without a hint what has changed of: %s",
  async (kind, [id, sql]) => {
    const jobs = await openJobQueue({ database, isWorker: false, onError });
    await jobs.open("q");
    await makeSession("s1");
    await database.query("insert into work (key, kind, queue) values ('k1', 'session', 'q'), ('k0', 'session', 'q')");
    await database.query("insert into turns (id, key, state) values ('t0', 'k0', 'running')");
    await database.query("insert into commands (id, target, state) values ('c0', 'm/0', 'running')");
    await database.query("insert into comparisons (id, owner, view) values ('p0', 'm/0', '')");
    const { listener, asked } = listen();
    let looks = 0;
    listener.on(kind, id, () => {
      looks += 1;
    });
    const settled = async (): Promise<void> => {
      const from = asked.length;
      await expect.poll(() => asked.length, { interval: 5 }).toBeGreaterThan(from + 3);
    };
    await settled();
    const before = looks;
    await settled();
    expect(looks).toBe(before);
    await database.query(sql);
    await expect.poll(() => looks).toBeGreaterThan(before);
    await database.query("delete from caret_jobs.job");
    await jobs.close();
  },
);

it("calls back again with the next poll a reader whose look has failed, though nothing has changed", async () => {
  const { listener } = listen();
  let looks = 0;
  listener.on("running", undefined, () => {
    looks += 1;
    if (looks < 5) listener.again("running", undefined);
  });
  await expect.poll(() => looks).toBeGreaterThanOrEqual(5);
});

it.each([
  ["ends", (pid: number) => database.query("select pg_terminate_backend($1)", [pid])],
  ["falls silent", async (pid: number) => void kill(pid, "SIGSTOP")],
])("makes every reader look when a connection %s: nobody knows what was hinted at meanwhile", async (how, harm) => {
  const { listener, asked, pids } = listen({ silentMs: 2_000, onError: () => undefined });
  let looks = 0;
  listener.on("turn", "none", () => {
    looks += 1;
  });
  await expect.poll(() => asked.filter((sql) => sql.startsWith("select")).length).toBeGreaterThan(3);
  const [count, last] = [pids.length, pids.at(-1)];
  if (last === undefined) throw new Error("It has a connection");
  const before = looks;
  await harm(last);
  await expect.poll(() => pids.length).toBeGreaterThan(count);
  await expect.poll(() => looks).toBeGreaterThan(before);
  if (how === "falls silent") kill(last, "SIGCONT");
  const again = looks;
  const notify = async (): Promise<number> => {
    await database.query("select pg_notify('caret_fleet', 'turn none')");
    return looks;
  };
  await expect.poll(notify).toBeGreaterThan(again);
});
