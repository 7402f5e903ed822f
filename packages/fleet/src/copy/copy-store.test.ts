import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@caret/protocol";
import type { LineageStore } from "@caret/runtime";
import { openSqliteLineageStore } from "@caret/runtime/conversations/matching/sqlite-lineage-store.ts";
import { openSqliteEventStore } from "@caret/runtime/log/sqlite/sqlite-event-store.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { readDatabaseAddress } from "../database/database-address.ts";
import { openDatabase } from "../database/open-database.ts";
import { createPostgresLineageStore } from "../lineage/postgres-lineage-store.ts";
import { openPostgresEventStore, type PostgresLogStore } from "../log/postgres-event-store.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import type { CopiedStore } from "./copied-store.ts";
import { copyStore } from "./copy-store.ts";
import { openPostgresCopiedStore } from "./postgres-copied-store.ts";
import { openSqliteCopiedStore } from "./sqlite-copied-store.ts";
import { verifyStore } from "./verify-store.ts";

const noon = Date.UTC(2026, 10, 15, 12);
let server: PostgresServer;
let database: TestDatabase;
let directory: string;

beforeAll(async () => {
  server = await startPostgres();
  database = await createTestDatabase(server);
});
afterAll(async () => {
  await database.close();
  await server.stop();
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-copy-"));
});
afterEach(async () => {
  await database.empty();
  rmSync(directory, { recursive: true });
});

const inDirectory = (name: string): string => join(directory, name);
const inDatabase = (): CopiedStore =>
  openPostgresCopiedStore({ database: openDatabase(readDatabaseAddress(database.url)), machine: "one" });

/** Two sessions with turns, usage, odd characters, an agent with messages, and the usage of a deleted session. */
async function fill(store: PostgresLogStore | ReturnType<typeof openSqliteEventStore>): Promise<void> {
  const turn = (turnId: string, text: string): { turnId: string; event: AgentEvent; raw?: string }[] => [
    { turnId, event: { type: "turn-start", turnId, lane: "cli", model: "auto", prompt: "Why?\0", client: "zed" } },
    { turnId, event: { type: "text-delta", blockId: "b1", text }, raw: `{"text":"${text}"}` },
    { turnId, event: { type: "usage", usage: { input: 10, output: 2 } } },
    { turnId, event: { type: "turn-end", outcome: { kind: "completed" } } },
  ];
  await store.createSession({ id: "s1", workspace: "/projects/one", title: "Größe\0", createdAt: noon });
  await store.updateSession("s1", { pinned: true });
  await store.append("s1", 0, turn("t1", "a\u0000b\ud800c\u2028d\u{1f600}"));
  await store.append("s1", 4, turn("t2", "x".repeat(100_000)), {
    command: { name: "start", digest: "digest" },
  });
  await store.updateSession("s1", { pinned: true });
  const agent = { name: "ada", createdBy: "human", userServers: true };
  await store.createSession({ id: "s2", workspace: "/projects/two", createdAt: noon }, { agent });
  await store.agents.send({ id: "m1", from: "human", to: "ada", text: "Hello\0" });
  await store.agents.send({ id: "m2", from: "human", to: "ada", text: "Again" });
  await store.createSession({ id: "s3", workspace: "/projects/three", createdAt: noon });
  await store.append("s3", 0, turn("t3", "gone"));
  await store.deleteSession("s3");
}

/** Transcripts of the first session, one of them settled, one of a deleted session, and what is known of a client. */
async function fillLineage(store: LineageStore, sessionIds: readonly string[]): Promise<void> {
  for (const [index, sessionId] of sessionIds.entries()) {
    const about = { systemId: "system", toolCount: index, hasShownTools: true };
    const record = { sessionId, turnId: `t${index}`, count: 2, heardBefore: 1, at: noon + index, sent: ["x", "y"] };
    const [hash, scopes, inLog] = [`hash ${index}`, new Map([[`scope ${index}`, about]]), Promise.resolve()];
    await store.remember({ scope: "scope", hash, record, scopes, inLog });
  }
  await store.settle({ scope: "scope", hash: "hash 0" }, "t0", "completed");
  await store.close();
}

async function copied(from: CopiedStore, to: CopiedStore) {
  try {
    return await copyStore(from, to);
  } finally {
    await from.close();
    await to.close();
  }
}

it("copies a log to PostgreSQL and back without a difference, and counts the same usage", async () => {
  const source = openSqliteEventStore({ directory: inDirectory("a"), role: "gateway", now: () => noon });
  await fill(source);
  await fillLineage(openSqliteLineageStore({ directory: inDirectory("a") }), ["s1", "s1", "s3"]);
  const used = await source.usageByDay({ from: "2026-01-01", byClient: true });
  await source.close();
  const report = { sessions: 2, found: 0, events: 8 };
  expect(await copied(openSqliteCopiedStore(inDirectory("a")), inDatabase())).toEqual(report);
  const store = await openPostgresEventStore({ database, now: () => noon });
  expect(await store.usageByDay({ from: "2026-01-01", byClient: true })).toEqual(used);
  expect(await store.findCommand("start")).toEqual({
    digest: "digest",
    sessionId: "s1",
    turn: { turnId: "t2", firstSeq: 5 },
  });
  expect((await store.agents.messages("ada", {})).map(({ text }) => text)).toEqual(["Hello\0", "Again"]);
  expect((await store.getSession("s1"))?.pinned).toBe(true);
  await store.close();
  const chains = () => [["hash 0", "hash 1"], ["hash 2"]];
  const lineage = createPostgresLineageStore({ database, machine: "one" });
  const view = await lineage.look({ scope: "scope", scopes: ["scope 1"], chains });
  const { session: _stood, ...first } = view.get("hash 0") ?? {};
  const known = { sessionId: "s1", count: 2, heardBefore: 1, sent: ["x", "y"] };
  expect([first, view.get("hash 1")?.isNewest, view.get("hash 2"), view.getScope("scope 1")]).toEqual([
    { ...known, turnId: "t0", at: noon, outcome: "completed", isNewest: false },
    true,
    undefined,
    { systemId: "system", toolCount: 1, hasShownTools: true },
  ]);
  expect(await copied(inDatabase(), openSqliteCopiedStore(inDirectory("b")))).toEqual(report);
  const back = await openSqliteLineageStore({ directory: inDirectory("b") }).look({ scope: "", scopes: [], chains });
  expect([back.get("hash 0"), back.get("hash 1")?.isNewest, back.getScope("scope 2")?.toolCount]).toEqual([
    first,
    true,
    2,
  ]);
  const reports = [];
  for (const each of [openSqliteCopiedStore(inDirectory("a")), inDatabase(), openSqliteCopiedStore(inDirectory("b"))]) {
    reports.push(await verifyStore(each));
    await each.close();
  }
  const [ofSource, second, third] = reports.map(({ place, ...rest }) => rest);
  expect(ofSource).toEqual({
    sessions: 2,
    events: 8,
    transcripts: 2,
    gaps: [],
    agents: 1,
    messages: 2,
    sha256: expect.stringMatching(/^\w{64}$/),
  });
  expect([second, third]).toEqual([ofSource, ofSource]);
  const copiedBack = openSqliteEventStore({ directory: inDirectory("b"), role: "gateway" });
  expect((await copiedBack.getSession("s1"))?.pinned).toBe(true);
  expect(await copiedBack.usageByDay({ from: "2026-01-01", byClient: true })).toEqual(used);
  await copiedBack.close();
});

it("goes on where an interrupted copy ended, and refuses a target with another session of the same id", async () => {
  const source = openSqliteEventStore({ directory: inDirectory("a"), role: "gateway", now: () => noon });
  await fill(source);
  await source.close();
  const target = inDatabase();
  const interrupted = { ...target, writeShared: () => Promise.reject(new Error("pulled the plug")) };
  await expect(copied(openSqliteCopiedStore(inDirectory("a")), interrupted)).rejects.toThrow("pulled the plug");
  expect(await copied(openSqliteCopiedStore(inDirectory("a")), inDatabase())).toEqual({
    sessions: 2,
    found: 2,
    events: 8,
  });
  await database.query("update sessions set title = 'Another' where id = 's1'");
  await expect(copied(openSqliteCopiedStore(inDirectory("a")), inDatabase())).rejects.toMatchObject({
    code: "invalid-request",
    message: "The target has another session s1",
  });
});

it("leaves nothing of a session whose copy broke off in its middle", async () => {
  const source = openSqliteEventStore({ directory: inDirectory("a"), role: "gateway", now: () => noon });
  await fill(source);
  await source.close();
  const from = openSqliteCopiedStore(inDirectory("a"));
  let reads = 0;
  // Digesting the source reads one page and then an empty one; after that the copy begins.
  const readEvents: CopiedStore["readEvents"] = async (id, afterSeq, limit) => {
    reads += 1;
    if (reads === 4) throw new Error("pulled the plug");
    return await from.readEvents(id, afterSeq, limit);
  };
  const breaking = { ...from, readEvents };
  await expect(copied(breaking, inDatabase())).rejects.toThrow("pulled the plug");
  expect(
    (
      await database.query(
        "select (select count(*) from sessions) as sessions, (select count(*) from events) as events",
      )
    ).rows,
  ).toEqual([{ sessions: 0, events: 0 }]);
});

it("refuses while a turn runs, in either store", async () => {
  const running = await openPostgresEventStore({ database, owner: "a worker" });
  await running.createSession({ id: "s1", workspace: "/w", createdAt: noon });
  await running.append("s1", 0, [{ turnId: "t1", event: { type: "turn-start", turnId: "t1", lane: "cli" } }]);
  await expect(copied(inDatabase(), openSqliteCopiedStore(inDirectory("b")))).rejects.toMatchObject({
    code: "session-busy",
  });
  await running.close();
  const gateway = openSqliteEventStore({ directory: inDirectory("a"), role: "gateway" });
  expect(() => openSqliteCopiedStore(inDirectory("a"))).toThrow(expect.objectContaining({ code: "storage-locked" }));
  await gateway.close();
});

it("survives a dump and a restore of the database", async () => {
  const store = await openPostgresEventStore({ database, now: () => noon });
  await fill(store);
  await store.close();
  const original = inDatabase();
  const before = await verifyStore(original);
  await original.close();
  const dump = server.run("pg_dump", ["-n", "caret", "caret_test"]);
  server.createDatabase("restored");
  server.run("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "restored"], dump);
  const restored = openPostgresCopiedStore({
    database: openDatabase(readDatabaseAddress(server.url("restored"))),
    machine: "one",
  });
  const after = await verifyStore(restored);
  await restored.close();
  expect(after).toEqual({ ...before, place: after.place });
});
