import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { type LogConnection, openLogConnection } from "./log-connection.ts";
import { transactionOf } from "./open-database.ts";
import { openLog, reopenLog } from "./open-log.ts";
import { LOG_FILE, openSqliteEventStore } from "./sqlite-event-store.ts";
import { createWalSync, type WalSync } from "./wal-sync.ts";

const SQLITE_IOERR_FSYNC = 1034;
const writer = fileURLToPath(new URL("../testing/crash-writer.ts", import.meta.url));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-fault-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("When the disk fails, the event log", () => {
  let database: DatabaseSync;
  let connection: LogConnection;
  let commits: GroupCommit;
  let wal: WalSync;
  /** The disk's response to the next sync. */
  let syncFault: Error | undefined;
  /** The next syncs wait for this. */
  let syncing: Promise<void> | undefined;
  let reopened: number;
  let clock: number;

  beforeEach(() => {
    const path = join(directory, LOG_FILE);
    reopened = 0;
    clock = 0;
    syncFault = undefined;
    syncing = undefined;
    wal = createWalSync(path, async () => {
      await syncing;
      const fault = syncFault;
      syncFault = undefined;
      if (fault !== undefined) throw fault;
    });
    connection = openLogConnection({
      open: () => {
        database = openLog(path, { others: { someAlive: false, someDied: false }, now: () => 0 });
        return database;
      },
      reopen: () => {
        reopened += 1;
        database = reopenLog(path);
        return database;
      },
      onDrop: wal.forget,
      monotonicMs: () => clock,
      retryMs: 1_000,
    });
    commits = createGroupCommit({ connection, wal, checkpoints: { note: () => undefined } });
  });
  afterEach(() => {
    wal.forget();
    connection.close();
  });

  const save = (id: string, title: string, weight = 1): Promise<void> =>
    commits.run(weight, ({ sessions }) =>
      sessions.save({
        id,
        workspace: "/",
        title,
        createdAt: 0,
        updatedAt: 0,
        archived: false,
        lastSeq: 0,
        upstream: [],
      }),
    );
  const ids = (): string[] =>
    connection.use(({ tables }) => tables.sessions.list({}).sessions.map((session) => session.id));

  /** The kernel reports a failed write once, at the commit. */
  function failNextCommits(count: number): void {
    const { commit } = transactionOf(database);
    const run = commit.run.bind(commit);
    let left = count;
    commit.run = () => {
      if (left === 0) return run();
      left -= 1;
      throw Object.assign(new Error("disk I/O error"), { errcode: SQLITE_IOERR_FSYNC });
    };
  }

  it("says that the disk is full, acknowledges nothing, and goes on when there is room again", async () => {
    await save("s1", "small");
    database.exec("pragma max_page_count = 30");
    const refused = await Promise.allSettled([save("s2", "x".repeat(200_000)), save("s3", "small")]);
    expect(refused).toMatchObject([{ reason: { code: "storage-full" } }, { reason: { code: "storage-full" } }]);
    database.exec("pragma max_page_count = 100000");
    await save("s4", "x".repeat(200_000));
    expect(ids()).toEqual(["s1", "s4"]);
    expect(reopened).toBe(0);
  });

  it("trusts no connection after a failed commit: it opens and checks the file again", async () => {
    await save("s1", "a");
    failNextCommits(1);
    await expect(save("s2", "b")).rejects.toMatchObject({ code: "storage-failed" });
    await save("s3", "c");
    expect([ids(), reopened]).toEqual([["s1", "s3"], 1]);
  });

  it("acknowledges nothing whose sync failed, and opens and checks the file again", async () => {
    await save("s1", "a");
    syncFault = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
    await expect(save("s2", "b")).rejects.toMatchObject({ code: "storage-failed" });
    await save("s3", "c");
    // A refused write may still turn up, as the store's contract says: it was in the journal.
    expect([ids(), reopened]).toEqual([["s1", "s2", "s3"], 1]);
  });

  it("opens the file again once for all commits that one failed sync was to cover", async () => {
    await save("s1", "a");
    const disk = Promise.withResolvers<void>();
    syncing = disk.promise;
    // Each fills one commit: the second is committed while the first is synced.
    const [first, second] = [save("s2", "b", 600), save("s3", "c", 600)];
    const reopenedAtOnce = first.catch(() => ids());
    disk.reject(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
    await expect(second).rejects.toMatchObject({ code: "storage-failed" });
    syncing = undefined;
    await save("s4", "d");
    expect([await reopenedAtOnce, ids(), reopened]).toEqual([["s1", "s2", "s3"], ["s1", "s2", "s3", "s4"], 1]);
  });

  it("waits with what is to be written while another process keeps the file from being made sure of", async () => {
    await save("s1", "a");
    const other = new DatabaseSync(join(directory, LOG_FILE), { readOnly: true });
    other.exec("begin; select * from session");
    syncFault = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
    await expect(save("s2", "b")).rejects.toMatchObject({ code: "storage-failed" });
    const saved = save("s3", "c").then(() => "saved", String);
    await expect.poll(() => reopened).toBeGreaterThan(1);
    other.close();
    expect([await saved, ids()]).toEqual(["saved", ["s1", "s2", "s3"]]);
  });

  it("leaves a disk that keeps failing alone for a while between two attempts", async () => {
    failNextCommits(1);
    await expect(save("s1", "a")).rejects.toMatchObject({ code: "storage-failed" });
    await save("s2", "b");
    failNextCommits(1);
    await expect(save("s3", "c")).rejects.toMatchObject({ code: "storage-failed" });
    await expect(save("s4", "d")).rejects.toMatchObject({ code: "storage-failed", retryable: true });
    expect(reopened).toBe(1);
    clock += 1_000;
    await save("s5", "e");
    expect([ids(), reopened]).toEqual([["s2", "s5"], 2]);
  });

  it("does not go on with an empty log when the file has vanished", async () => {
    failNextCommits(1);
    await expect(save("s1", "a")).rejects.toMatchObject({ code: "storage-failed" });
    rmSync(join(directory, LOG_FILE));
    await expect(save("s2", "b")).rejects.toMatchObject({
      code: "storage-failed",
      message: "The event log is gone from the data directory",
    });
  });
});

describe("When a sync fails while the log is read, a reader", { timeout: 20_000 }, () => {
  it("is given nothing of what was not synced, until the file was opened again and made sure of", async () => {
    let sync: PromiseWithResolvers<void> | undefined;
    const syncFile = async (): Promise<void> => await sync?.promise;
    const store = openSqliteEventStore({ directory, role: "gateway", syncFile, heldMs: 100 });
    await store.createSession({ id: "s1", workspace: "/", createdAt: 0 });
    // A reader keeps the journal from being copied completely, and so the log from being reopened.
    const other = new DatabaseSync(join(directory, LOG_FILE), { readOnly: true });
    other.exec("begin; select * from session");
    sync = Promise.withResolvers();
    const event = { type: "turn-start", turnId: "t1", lane: "sim" } as const;
    const appended = store.append("s1", 0, [{ turnId: "t1", event }]);
    await new Promise((resolve) => setImmediate(resolve));
    const outcomes = Promise.allSettled([appended, store.read("s1")]);
    await new Promise((resolve) => setImmediate(resolve));
    sync.reject(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }));
    sync = undefined;
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    other.close();
    await expect.poll(() => store.read("s1").then((events) => events.length, String), { timeout: 5_000 }).toBe(1);
    await store.close();
  });
});

/** Only `strace` can make the kernel itself fail; without it, the tests above must do. */
const tracer = "strace";
const canInject = spawnSync(tracer, ["-o", "/dev/null", "true"]).status === 0;

describe.skipIf(!canInject)("Under a kernel whose disk fails, the event log", () => {
  const faults = [
    "fdatasync:error=EIO:when=20",
    "fdatasync:error=EIO:when=20+",
    "pwrite64:error=ENOSPC:when=50",
    "pwrite64:error=ENOSPC:when=50+",
    "pwrite64:error=EIO:when=50",
  ];

  it.each(faults)("keeps all it acknowledged with %s", async (fault) => {
    execFileSync(process.execPath, [writer, directory, "5"]);
    const traced = ["-f", "-o", "/dev/null", "-e", `inject=${fault}`, process.execPath, writer, directory, "40"];
    // The tracer counts each thread's calls separately, so only one thread syncs.
    const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
    const lines = spawnSync(tracer, traced, { encoding: "utf8", env }).stdout.trim().split("\n");
    const acked = lines.filter((line) => !line.startsWith("refused")).map((line) => line.split(" "));
    expect(new Set(lines.filter((line) => line.startsWith("refused"))).size).toBeGreaterThan(0);

    const store = openSqliteEventStore({ directory, role: "gateway" });
    for (const sessionId of ["s1", "s2", "s3"]) {
      const seqs = (await store.read(sessionId)).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      const last = Number(acked.findLast(([id]) => id === sessionId)?.[1]);
      expect(seqs.length).toBeGreaterThanOrEqual(last);
    }
    await store.close();
  });

  it("syncs the journal before each acknowledgement", () => {
    const trace = join(directory, "trace");
    const calls = "trace=fdatasync,write,pwrite64";
    spawnSync(tracer, ["-f", "-e", calls, "-o", trace, process.execPath, writer, directory, "30", "s1"]);
    expect(unsyncedAcks(trace)).toEqual({ acks: 30, unsynced: 0 });
  });
});

/**
 * Writes to the journal are `pwrite64`; an acknowledgement is a `write` of a line that begins with a session's id. Other threads make the
 * syncs: what was written before a sync began is safe once it has returned.
 */
function unsyncedAcks(trace: string): { acks: number; unsynced: number } {
  const found = { acks: 0, unsynced: 0 };
  let written = 0;
  let syncing = 0;
  let synced = 0;
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    if (line.includes("pwrite64(")) written += 1;
    if (line.includes("fdatasync(")) syncing = written;
    if (line.includes("fdatasync") && line.endsWith("= 0")) synced = syncing;
    if (!line.includes('write(1, "s')) continue;
    found.acks += 1;
    found.unsynced += Number(synced < written);
  }
  return found;
}
