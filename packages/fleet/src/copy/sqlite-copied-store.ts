import { join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { CaretError } from "@caret/protocol";
import { LINEAGE_FILE, openSqliteLineageStore } from "@caret/runtime/conversations/matching/sqlite-lineage-store.ts";
import { openDatabase } from "@caret/runtime/log/sqlite/open-database.ts";
import { LOG_FILE, openSqliteEventStore } from "@caret/runtime/log/sqlite/sqlite-event-store.ts";
import type { CopiedSession, CopiedStore } from "./copied-store.ts";
import {
  type CopiedRow,
  type CopiedTable,
  eventTable,
  LINEAGE,
  newestTable,
  sessionTable,
  sharedTables,
  transcriptTable,
  turnTable,
  usageTable,
} from "./copied-tables.ts";

/** Holds the directory until closed. Throws `storage-locked` while a gateway has it. */
export function openSqliteCopiedStore(directory: string): CopiedStore {
  // Opened as the directory's gateway: keeps other gateways from starting and migrates the tables.
  const held = openSqliteEventStore({ directory, role: "gateway" });
  const database = openDatabase(join(directory, LOG_FILE), { survives: "power-cut" });
  makeLineageFile(directory);
  database.prepare(`attach database ? as ${LINEAGE}`).run(join(directory, LINEAGE_FILE));
  const select = (table: CopiedTable, rest: string, ...values: readonly SQLInputValue[]): readonly CopiedRow[] =>
    database
      .prepare(`select ${table.columns.join(", ")} from ${table.sqlite} ${rest}`)
      .all(...values)
      .map((row) => fromSqlite(table, row));
  const ofSession = (table: CopiedTable, id: string): readonly CopiedRow[] =>
    select(table, `where session_id = ? order by ${table.order}`, id);
  return {
    place: directory,
    async assertIdle() {
      for (const { sessionId, owner } of await held.runningTurns())
        if (held.isOwnerAlive(owner))
          throw new CaretError("session-busy", `A turn of the session ${sessionId} runs`, {
            fix: "Wait for its end, or stop it.",
          });
    },
    sessionIds: () => held.sessionIds(),
    async readSession(id) {
      const [session] = select(sessionTable, "where id = ? and hidden is null", id);
      if (session === undefined) return undefined;
      const [turns, usages] = [ofSession(turnTable, id), ofSession(usageTable, id)];
      return {
        session,
        turns,
        usages,
        transcripts: ofSession(transcriptTable, id),
        newest: ofSession(newestTable, id),
      };
    },
    readEvents: async (id, afterSeq, limit) =>
      select(eventTable, "where session_id = ? and seq > ? order by seq limit ?", id, afterSeq, limit),
    readLostUsages: async () =>
      select(usageTable, "where session_id not in (select id from session) order by session_id, turn_id"),
    readShared: async (table) => select(table, `order by ${table.order}`),
    async writeSession(session, events) {
      // Two files mean two commits, transcripts first: without their session they do no harm, and a retry writes them again.
      await inOneTransaction(database, async () => writeTranscripts(database, session));
      await inOneTransaction(database, () => writeSession(database, session, events));
    },
    writeShared: (usages, tables) =>
      inOneTransaction(database, async () => {
        insert(database, usageTable, usages);
        for (const table of sharedTables) insert(database, table, tables.get(table) ?? []);
      }),
    async close() {
      database.close();
      await held.close();
    },
  };
}

/** Creates or migrates the file, as a gateway would. */
function makeLineageFile(directory: string): void {
  void openSqliteLineageStore({ directory }).close();
}

function writeTranscripts(database: DatabaseSync, { transcripts, newest }: CopiedSession): void {
  insert(database, transcriptTable, transcripts);
  insert(database, newestTable, newest);
}

async function writeSession(
  database: DatabaseSync,
  { session, turns, usages }: CopiedSession,
  events: AsyncIterable<readonly CopiedRow[]>,
): Promise<void> {
  insert(database, sessionTable, [session]);
  for await (const page of events) insert(database, eventTable, page);
  insert(database, turnTable, turns);
  insert(database, usageTable, usages);
}

/** This process holds the log exclusively, so a transaction can wait for the other store. */
async function inOneTransaction(database: DatabaseSync, work: () => Promise<void>): Promise<void> {
  database.exec("begin immediate");
  try {
    await work();
    database.exec("commit");
  } catch (reason) {
    database.exec("rollback");
    throw reason;
  }
}

function insert(database: DatabaseSync, { sqlite, columns }: CopiedTable, rows: readonly CopiedRow[]): void {
  const places = columns.map(() => "?").join(", ");
  const statement = database.prepare(`insert or ignore into ${sqlite} (${columns.join(", ")}) values (${places})`);
  for (const row of rows) statement.run(...columns.map((column) => toSqlite(row[column])));
}

function toSqlite(value: CopiedRow[string] | undefined): SQLInputValue {
  return typeof value === "boolean" ? Number(value) : (value ?? null);
}

function fromSqlite({ booleans }: CopiedTable, row: Readonly<Record<string, unknown>>): CopiedRow {
  const flags = booleans.map((column) => [column, row[column] === null ? null : row[column] === 1]);
  return { ...row, ...Object.fromEntries(flags) };
}
