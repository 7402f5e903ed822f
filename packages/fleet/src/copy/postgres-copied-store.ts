import { CaretError, costOf, parseJson, type Usage, usageSchema } from "@caret/protocol";
import { keptJson, toKept } from "../database/kept-text.ts";
import type { Database, Queries, Row } from "../database/open-database.ts";
import type { CopiedSession, CopiedStore } from "./copied-store.ts";
import {
  type CopiedRow,
  type CopiedTable,
  eventTable,
  newestTable,
  sessionTable,
  sharedTables,
  transcriptTable,
  turnTable,
  usageTable,
} from "./copied-tables.ts";

export interface PostgresCopiedStoreOptions {
  /** Must be migrated. Closed with the store. */
  readonly database: Database;
  /** Home machine of sessions copied from a directory: where their workspaces and chats are. */
  readonly machine: string;
}

export function openPostgresCopiedStore({ database, machine }: PostgresCopiedStoreOptions): CopiedStore {
  const select = async (table: CopiedTable, rest: string, ...values: readonly unknown[]) =>
    (await database.query(`select ${table.columns.join(", ")} from ${table.postgres} ${rest}`, values)).rows.map(
      toCopied,
    );
  const ofSession = (table: CopiedTable, id: string) =>
    select(table, `where session_id = $1 order by ${table.order}`, id);
  const write = (work: (queries: Queries) => Promise<void>): Promise<void> => database.transaction(work);
  return {
    place: database.place,
    assertIdle: () => assertIdle(database),
    async sessionIds() {
      const { rows } = await database.query("select id from sessions where hidden is null order by id");
      return rows.map((row) => String(row["id"]));
    },
    async readSession(id) {
      const [session] = await select(sessionTable, "where id = $1 and hidden is null", id);
      if (session === undefined) return undefined;
      const [turns, usages] = [await ofSession(turnTable, id), await ofSession(usageTable, id)];
      const [transcripts, newest] = [await ofSession(transcriptTable, id), await ofSession(newestTable, id)];
      return { session, turns, usages, transcripts, newest };
    },
    readEvents: (id, afterSeq, limit) =>
      select(eventTable, "where session_id = $1 and seq > $2 order by seq limit $3", id, afterSeq, limit),
    readLostUsages: () =>
      select(usageTable, "where session_id not in (select id from sessions) order by session_id, turn_id"),
    readShared: (table) => select(table, `order by ${table.order}`),
    writeSession: (session, events) => write((queries) => writeSession(queries, session, events, machine)),
    writeShared: (usages, tables) =>
      write(async (queries) => {
        await insertUsages(queries, usages);
        for (const table of sharedTables) await insert(queries, table, tables.get(table) ?? []);
      }),
    close: () => database.close(),
  };
}

/** Throws `session-busy` if a process holds a lease, or has a running turn and was seen within the last 15 seconds. */
async function assertIdle(database: Database): Promise<void> {
  const { rows } = await database.query(
    `select id from sessions where lease_until > now() union
     select session_id from logged_turns join openers using (owner)
     where ended_at is null and seen_at > now() - interval '15 seconds' limit 1`,
  );
  const [busy] = rows;
  if (busy !== undefined)
    throw new CaretError("session-busy", `A turn of the session ${String(busy["id"])} runs`, {
      fix: "Stop the gateways and workers of the fleet first: SIGTERM lets their turns end.",
    });
}

async function writeSession(
  queries: Queries,
  { session, turns, usages, transcripts, newest }: CopiedSession,
  events: AsyncIterable<readonly CopiedRow[]>,
  machine: string,
): Promise<void> {
  await insert(queries, sessionTable, [session]);
  await queries.query("update sessions set home_machine = $1 where id = $2", [machine, session["id"]]);
  const clients = new Map<unknown, string>();
  const starts = new Set(turns.map((turn) => turn["first_seq"]));
  for await (const page of events) {
    await insert(queries, eventTable, page);
    for (const row of page) if (starts.has(row["seq"] ?? null)) noteClient(clients, row);
  }
  await insert(queries, turnTable, turns);
  for (const [turnId, client] of clients)
    await queries.query("update logged_turns set client = $1 where session_id = $2 and turn_id = $3", [
      client,
      session["id"],
      turnId,
    ]);
  await insertUsages(queries, usages);
  await insert(queries, transcriptTable, transcripts);
  await insert(queries, newestTable, newest);
}

/** Notes which client asked for a turn: SQLite reads that from the turn's first event. */
function noteClient(clients: Map<unknown, string>, { turn_id: turnId, data }: CopiedRow): void {
  const event = parseJson(String(data), {}) as Readonly<Record<string, unknown>>;
  if (typeof event["client"] === "string") clients.set(turnId, event["client"]);
}

async function insertUsages(queries: Queries, usages: readonly CopiedRow[]): Promise<void> {
  await insert(queries, usageTable, usages);
  for (const row of usages) {
    const priced = priceOf(row);
    if (priced !== undefined)
      await queries.query("update turn_usages set priced = $1 where session_id = $2 and turn_id = $3", [
        priced,
        row["session_id"],
        row["turn_id"],
      ]);
  }
}

/** Prices usage at current prices: SQLite stores none. */
function priceOf({ model, cost, input, output, cache_read, cache_write }: CopiedRow): number | undefined {
  if (typeof model !== "string" || cost !== null) return undefined;
  const counts = { input, output, cacheRead: cache_read, cacheWrite: cache_write };
  const known = Object.entries(counts).filter(([, count]) => count !== null && count !== undefined);
  const usage: Usage = usageSchema.parse(Object.fromEntries(known));
  return costOf(usage, model);
}

/** Passes rows as JSON, so one statement fits any columns. */
async function insert(queries: Queries, { postgres, columns }: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const names = columns.join(", ");
  const kept = rows.map((row) => Object.fromEntries(columns.map((column) => [column, toJson(row[column])])));
  await queries.query(
    `insert into ${postgres} (${names}) select ${names} from json_populate_recordset(null::${postgres}, $1::json)
     on conflict do nothing`,
    [keptJson(kept)],
  );
}

function toJson(value: CopiedRow[string] | undefined): CopiedRow[string] {
  return typeof value === "string" ? toKept(value.toWellFormed()) : (value ?? null);
}

function toCopied(row: Row): CopiedRow {
  return row as CopiedRow;
}
