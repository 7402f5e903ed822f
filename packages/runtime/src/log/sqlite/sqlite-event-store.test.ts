import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { AgentEvent } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeAgentStore } from "../agent-store.contract.ts";
import { type CreateStore, describeEventStore } from "../event-store.contract.ts";
import type { EventStore } from "../event-store.ts";
import { describeSearch } from "../search/search.contract.ts";
import { describeUsers } from "../users.contract.ts";
import { createLogOpeners, OPENERS_FILE } from "./log-openers.ts";
import { migrations } from "./migrations/migrations.ts";
import { migrate } from "./open-log.ts";
import { LOG_FILE, openSqliteEventStore, type SqliteEventStoreOptions } from "./sqlite-event-store.ts";

const createStore: CreateStore = async (options) => {
  const directory = mkdtempSync(join(tmpdir(), "caret-store-"));
  return {
    store: openSqliteEventStore({ directory, role: "gateway", ...options }),
    dispose: async () => rmSync(directory, { recursive: true }),
  };
};

describeEventStore("sqlite", createStore);
describeSearch("sqlite", createStore);
describeUsers("sqlite", createStore);
describeAgentStore("sqlite", async ({ now }) => {
  const directory = mkdtempSync(join(tmpdir(), "caret-store-"));
  return {
    store: openSqliteEventStore({ directory, role: "gateway", now }),
    dispose: async () => rmSync(directory, { recursive: true }),
  };
});

describe("The SQLite event store", () => {
  let directory: string;
  let stores: EventStore[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "caret-store-"));
    stores = [];
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
    rmSync(directory, { recursive: true });
  });

  function open(options: Partial<SqliteEventStoreOptions> = {}): EventStore {
    const store = openSqliteEventStore({ directory, role: "gateway", ...options });
    stores.push(store);
    return store;
  }

  async function filled(events: readonly AgentEvent[]): Promise<EventStore> {
    const store = open();
    await store.createSession({ id: "s1", workspace: "/projects/one", createdAt: 1 });
    await store.append(
      "s1",
      0,
      events.map((event) => ({ turnId: "t1", event })),
    );
    return store;
  }

  /** Works on a file behind the stores' backs. */
  function tamper(sql: string, file = LOG_FILE): void {
    const database = new DatabaseSync(join(directory, file));
    database.exec(sql);
    database.close();
  }

  function damage(): void {
    const path = join(directory, LOG_FILE);
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 16 * 4096, 18 * 4096);
    writeFileSync(path, bytes);
  }

  function openers(): unknown[] {
    const database = new DatabaseSync(join(directory, OPENERS_FILE));
    const rows = database.prepare("select owner from opener order by id").all();
    database.close();
    return rows.map((row) => row["owner"]);
  }

  function rowsOf(table: "session" | "event" | "command"): number {
    const database = new DatabaseSync(join(directory, LOG_FILE));
    const row = database.prepare(`select count(*) as rows from ${table}`).get();
    database.close();
    return Number(row?.["rows"]);
  }

  const text = (value: string): AgentEvent => ({ type: "text-delta", blockId: "b1", text: value });
  const manyTexts = Array.from({ length: 400 }, (_, index) => text(`${index}`.repeat(50)));
  const quarantined = (): string[] => readdirSync(directory).filter((name) => name.includes(".corrupt-"));

  it("has everything again after a restart", async () => {
    const store = await filled([text("a"), text("b")]);
    await store.updateSession("s1", { title: "One", upstream: { lane: "cli", sessionId: "c1" } });
    const before = [await store.getSession("s1"), await store.read("s1")];
    await store.close();
    const again = open();
    expect([await again.getSession("s1"), await again.read("s1")]).toEqual(before);
  });

  it("hears that another process has written", async () => {
    const gateway = open();
    const before = await gateway.foreignVersion();
    const guest = open({ role: "guest" });
    await guest.createSession({ id: "s2", workspace: "/projects/two", createdAt: 1 });
    expect(await gateway.foreignVersion()).not.toBe(before);
  });

  it("lists what sessions of an older Caret said last", async () => {
    const database = new DatabaseSync(join(directory, LOG_FILE));
    migrate(database, migrations.slice(0, 1));
    const prompt = JSON.stringify({ type: "turn-start", turnId: "t2", prompt: "First line\nsecond" });
    const end = JSON.stringify({ type: "turn-end", outcome: { kind: "cancelled" } });
    database.exec(`
      insert into session values ('s1', '/w', null, null, null, 1, 2, 0, 1, 4, '[]', '/w');
      insert into event values ('s1', 1, 't1', 1, 'no json', null, 0), ('s1', 3, 't2', 3, '${prompt}', null, 0),
        ('s1', 4, 't2', 4, '${end}', null, 0);
      insert into turn values ('s1', 't1', null, 1, 1, 'o', 2), ('s1', 't2', null, 3, 3, 'o', 4);
    `);
    database.close();
    expect(await open().getSession("s1")).toMatchObject({
      lastLine: "First line",
      lastTurn: { turnId: "t2", at: 4, outcome: "cancelled" },
    });
  });

  it("lists 500 sessions in a few milliseconds, however long their logs are", async () => {
    const store = open();
    const log = manyTexts.map((event) => ({ turnId: "t1", event }));
    for (let index = 0; index < 500; index += 1) {
      await store.createSession({ id: `s${index}`, workspace: "/w", title: `Session ${index}`, createdAt: index });
      if (index % 25 === 0) await store.append(`s${index}`, 0, log);
    }
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const startedAt = performance.now();
      expect((await store.listSessions({ limit: 500 })).sessions).toHaveLength(500);
      times.push(performance.now() - startedAt);
    }
    expect(Math.min(...times)).toBeLessThan(50);
  });

  it("keeps its files from other users, whatever the directory allowed before", async () => {
    chmodSync(directory, 0o777);
    await filled([text("a")]);
    const modes = readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({
      "caret.db": 0o600,
      "caret.db-shm": 0o600,
      "caret.db-wal": 0o600,
      "caret.lock": 0o600,
      "caret.open": 0o600,
      owners: 0o700,
    });
    const [lock = ""] = readdirSync(join(directory, "owners"));
    expect(statSync(join(directory, "owners", lock)).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it("refuses a second gateway on the same directory, and names the first", async () => {
    const first = open({ pid: 4711, now: () => Date.UTC(2026, 10, 15) });
    expect(() => open({ pid: 4712 })).toThrow(
      expect.objectContaining({
        code: "storage-locked",
        message: "Another gateway (pid 4711, since 2026-11-15T00:00:00.000Z) uses this data directory",
      }),
    );
    await first.close();
    expect(await open({ pid: 4712 }).listSessions()).toEqual({ sessions: [] });
  });

  it("takes over the directory of a gateway that was killed", async () => {
    const writer = fileURLToPath(new URL("../testing/crash-writer.ts", import.meta.url));
    const child = spawn(process.execPath, [writer, directory]);
    const closed = once(child, "close");
    await once(child.stdout, "data");
    expect(() => open()).toThrow(`pid ${child.pid}`);
    child.kill("SIGKILL");
    await closed;
    expect((await open().listSessions()).sessions).toHaveLength(3);
  });

  it("refuses a log that a newer Caret has written, and leaves it alone", async () => {
    await (await filled([text("a")])).close();
    const next = migrations.length + 1;
    tamper(`insert into schema_migration values (${next})`);
    expect(() => open()).toThrow(
      expect.objectContaining({
        code: "storage-failed",
        message: `The event log has schema version ${next}; this Caret knows versions up to ${migrations.length}`,
        fix: "Update Caret, or choose another data directory.",
      }),
    );
    tamper(`delete from schema_migration where number = ${next}`);
    expect(await open().read("s1")).toHaveLength(1);
  });

  describe("a log of an older Caret", () => {
    const path = (): string => join(directory, LOG_FILE);
    const copy = (): string => `${path()}.schema-5`;
    const versionOf = (file: string): unknown => {
      const database = new DatabaseSync(file, { readOnly: true });
      const row = database.prepare("select max(number) as version from schema_migration").get();
      database.close();
      return row?.["version"];
    };

    beforeEach(() => {
      const database = new DatabaseSync(path());
      migrate(database, migrations.slice(0, 5));
      database.close();
    });

    it("is migrated, and a copy as it was stays beside it, for its user alone", () => {
      open();
      expect([versionOf(path()), versionOf(copy()), statSync(copy()).mode & 0o777]).toEqual([
        migrations.length,
        5,
        0o600,
      ]);
      expect(readdirSync(directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    });

    it("is copied once more when an earlier start was interrupted", () => {
      writeFileSync(copy(), "half a copy");
      writeFileSync(`${copy()}.tmp`, "half a copy");
      open();
      expect(versionOf(copy())).toBe(5);
    });

    it("is left as it is when it cannot be copied, and the error says how to go on", () => {
      mkdirSync(join(copy(), "in the way"), { recursive: true });
      expect(() => open()).toThrow(
        expect.objectContaining({
          code: "storage-failed",
          message: expect.stringContaining("could not be copied before its migration"),
          fix: expect.stringContaining("The log is unchanged."),
        }),
      );
      expect(versionOf(path())).toBe(5);
    });

    it("is not migrated while another process has it open, whose turns go on", () => {
      const openers = createLogOpeners({ directory, isAlive: () => true, now: Date.now });
      openers.enter(() => ({ owner: "an older Caret" }));
      expect(() => open({ isAlive: () => true })).toThrow(
        expect.objectContaining({
          code: "storage-locked",
          message: `The event log has schema version 5 and must be migrated to ${migrations.length}, but other Caret processes have it open`,
          fix: expect.stringContaining("Stop them first"),
        }),
      );
      openers.leave();
      open();
      expect(versionOf(path())).toBe(migrations.length);
    });
  });

  it("reads what another release wrote as unknown events instead of failing", async () => {
    await (await filled([text("a"), text("b"), text("c")])).close();
    tamper(`update event set data = '{"type":"hologram","depth":3}' where seq = 1`);
    tamper("update event set data = 'not json' where seq = 2");
    expect((await open().read("s1")).map(({ event }) => event)).toEqual([
      { type: "unknown", source: "store", label: "hologram", value: { type: "hologram", depth: 3 } },
      { type: "unknown", source: "store", label: "unreadable", value: "not json" },
      text("c"),
    ]);
  });

  it("puts a file that is no database aside, says so, and starts empty at the next start", async () => {
    writeFileSync(join(directory, LOG_FILE), "these are not the bytes of a database".repeat(100));
    expect(() => open()).toThrow(expect.objectContaining({ code: "storage-failed" }));
    const [kept = ""] = quarantined();
    expect(readFileSync(join(directory, kept), "utf8")).toContain("not the bytes of a database");
    expect(await open().listSessions()).toEqual({ sessions: [] });
  });

  it("finds damage after an unclean end, and keeps the damaged file", async () => {
    await (await filled(manyTexts)).close();
    tamper("insert into opener (owner) values ('somebody who died')", OPENERS_FILE);
    damage();
    expect(() => open()).toThrow(/^The event log is corrupt; it was kept as caret\.db\.corrupt-/u);
    expect(quarantined()).toHaveLength(1);
  });

  it("does not put a damaged log aside while another process has it open", async () => {
    await (await filled(manyTexts)).close();
    tamper("insert into opener (owner) values ('dead'), ('alive')", OPENERS_FILE);
    damage();
    expect(() => open({ isAlive: (owner) => owner === "alive" })).toThrow(
      "The event log is corrupt, and other Caret processes have it open",
    );
    expect(quarantined()).toEqual([]);
  });

  it("needs no check after a clean end, nor because others have the log open", async () => {
    await (await filled(manyTexts)).close();
    tamper("insert into opener (owner) values ('alive')", OPENERS_FILE);
    damage();
    expect(await open({ isAlive: (owner) => owner === "alive" }).getSession("s1")).toMatchObject({ lastSeq: 400 });
  });

  const garbage = "these are not the bytes of a database".repeat(100);

  it.each([
    ["caret.open", () => writeFileSync(join(directory, "caret.open"), garbage)],
    ["caret.open", () => mkdirSync(join(directory, "caret.open"))],
    ["caret.lock", () => writeFileSync(join(directory, "caret.lock"), garbage)],
    ["caret.lock", () => mkdirSync(join(directory, "caret.lock"))],
  ])("makes a damaged %s again, keeps the old one, and has everything", async (name, spoil) => {
    await (await filled([text("a")])).close();
    rmSync(join(directory, name));
    spoil();
    expect(await open().read("s1")).toHaveLength(1);
    expect(quarantined()).toEqual([expect.stringMatching(new RegExp(`^${name}\\.corrupt-`))]);
    expect(() => open()).toThrow(expect.objectContaining({ code: "storage-locked" }));
  });

  it("does not make a damaged caret.lock again while others use the directory: one of them may hold it", async () => {
    open({ role: "guest" });
    writeFileSync(join(directory, "caret.lock"), garbage);
    expect(() => open()).toThrow(
      expect.objectContaining({
        message: "caret.lock in the data directory cannot be used",
        fix: "Stop every Caret that uses this data directory, then start one: it makes the file again.",
      }),
    );
    writeFileSync(join(directory, "caret.open"), garbage);
    expect(() => open()).toThrow("caret.lock in the data directory cannot be used");
  });

  it("keeps a list of those who have the log open, and strikes the dead off it", async () => {
    const first = open({ owner: "first" });
    tamper("insert into opener (owner) values ('dead')", OPENERS_FILE);
    const second = open({ role: "guest", owner: "second", isAlive: (owner) => owner !== "dead" });
    expect(openers()).toEqual(["first", "second"]);
    await first.close();
    await second.close();
    expect(openers()).toEqual([]);
  });

  it("says that it is overloaded when another process does not let go, writes nothing, and goes on afterwards", async () => {
    const store = open({ role: "guest", heldMs: 20 });
    await store.createSession({ id: "s1", workspace: "/", createdAt: 1 });
    const other = new DatabaseSync(join(directory, LOG_FILE));
    other.exec("begin immediate");
    await expect(store.append("s1", 0, [{ turnId: "t1", event: text("a") }])).rejects.toMatchObject({
      code: "overloaded",
      retryable: true,
    });
    other.close();
    await store.append("s1", 0, [{ turnId: "t1", event: text("b") }]);
    expect((await store.read("s1")).map(({ event }) => event)).toEqual([text("b")]);
  });

  it("lets others write while it deletes a large session, which is gone at once", async () => {
    const store = open();
    await store.createSession({ id: "large", workspace: "/", createdAt: 1 });
    await store.createSession({ id: "s1", workspace: "/", createdAt: 1 });
    const entries = Array.from({ length: 1_000 }, () => ({ turnId: "t1", event: text("x".repeat(500)) }));
    for (let written = 0; written < 30_000; written += 1_000) await store.append("large", written, entries);
    const other = open({ role: "guest" });
    let isDeleted = false;
    const deleted = store.deleteSession("large").then(() => {
      isDeleted = true;
    });
    await expect.poll(() => other.getSession("large"), { interval: 1 }).toBeUndefined();
    let appended = 0;
    let slowestMs = 0;
    while (!isDeleted) {
      const startedAt = performance.now();
      await other.append("s1", appended, [{ turnId: "t2", event: text("a") }]);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      appended += 1;
    }
    await deleted;
    expect({ areMany: appended > 5, isQuick: slowestMs < 1_000, left: rowsOf("event") }).toEqual({
      areMany: true,
      isQuick: true,
      left: appended,
    });
  });

  it("finishes deleting what a process that died had begun to delete, and removes what it had staged", async () => {
    const dead = open({ role: "guest", owner: "dead" });
    for (const id of ["half gone", "half made", "being made", "whole"])
      await dead.createSession({ id, workspace: "/", createdAt: 1 }, id.endsWith("made") ? { staged: true } : {});
    for (const id of ["half gone", "half made", "being made", "whole"])
      await dead.append(id, 0, [{ turnId: "t1", event: text("a") }]);
    tamper("update session set hidden = 'removed', hidden_owner = 'dead' where id = 'half gone'");
    tamper("update session set hidden_owner = 'alive' where id = 'being made'");
    const store = open({ isAlive: (owner) => owner === "alive" });
    await store.removeLeftovers();
    expect({ seen: await store.sessionIds(), sessions: rowsOf("session"), events: rowsOf("event") }).toEqual({
      seen: ["whole"],
      sessions: 2,
      events: 2,
    });
  });

  it("forgets commands after a day", async () => {
    let now = 1_000;
    const store = open({ now: () => now });
    const create = (id: string) =>
      store.createSession({ id, workspace: "/", createdAt: 1 }, { command: { name: id, digest: "d" } });
    await create("first");
    now += 24 * 3_600_000;
    await create("second");
    expect({ first: await store.findCommand("first"), rows: rowsOf("command") }).toEqual({ first: undefined, rows: 1 });
  });

  it("commits appends that come together in one transaction", async () => {
    const store = open();
    for (const id of ["s1", "s2"]) await store.createSession({ id, workspace: "/", createdAt: 1 });
    const order: string[] = [];
    store.subscribe("s1", () => order.push("s1"));
    store.subscribe("s2", () => order.push("s2"));
    const both = [
      store.append("s1", 0, [{ turnId: "t1", event: text("a") }]),
      store.append("s2", 0, [{ turnId: "t1", event: text("b") }]),
    ];
    expect(await store.read("s1")).toEqual([]);
    await Promise.all(both);
    expect(order).toEqual(["s1", "s2"]);
  });

  it("refuses an event that is not plain JSON without hurting its neighbours", async () => {
    const store = await filled([text("a")]);
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const bad: AgentEvent = { type: "unknown", source: "test", label: "cycle", value: cyclic };
    const neighbour = store.append("s1", 1, [{ turnId: "t1", event: text("b") }]);
    await expect(store.append("s1", 2, [{ turnId: "t1", event: bad }])).rejects.toThrow("circular");
    await neighbour;
    expect(await store.read("s1")).toHaveLength(2);
  });
});
