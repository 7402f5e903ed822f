import type { CaretError } from "@caret/protocol";
import pg from "pg";
import type { DatabaseAddress } from "./database-address.ts";
import { isConnectionLoss, isDiskFull, isStalePlan, toDatabaseError, UnknownCommit } from "./database-error.ts";
import { fromKept, toKept } from "./kept-text.ts";

/** One row, by column. */
export type Row = Readonly<Record<string, unknown>>;

export interface Result {
  readonly rows: readonly Row[];
  /** Rows that the statement wrote or read. */
  readonly count: number;
}

/** Runs statements: the database, or one of its transactions. */
export interface Queries {
  /** Prepares a named statement once per connection. Rejects with our error; PostgreSQL's is its cause. */
  query(sql: string, values?: readonly unknown[], name?: string): Promise<Result>;
}

export interface Database extends Queries {
  readonly schema: string;
  readonly place: string;
  /** The error, if a write failed on a full disk within the last seconds. A smaller write may still succeed. */
  diskFull(): CaretError | undefined;
  /** Commits when `work` resolves, else rolls back. Rejects with the error of `work`. */
  transaction<Outcome>(work: (queries: Queries) => Promise<Outcome>): Promise<Outcome>;
  /** A separate connection for LISTEN. The caller ends it. */
  connect(onNotice: (channel: string, payload: string) => void, onEnd: (error?: Error) => void): Promise<Listener>;
  close(): Promise<void>;
}

export interface Listener extends Queries {
  end(): Promise<void>;
}

export interface OpenDatabaseOptions {
  /** This process's name in `pg_stat_activity`. */
  readonly name?: string;
  readonly maxConnections?: number;
}

/** How long a statement waits for a locked row (`lock_timeout`). */
const LOCK_MS = 2_000;
/** A process suspended in mid-transaction loses its connection, and with it its locks, after this. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_MS = 10_000;
/** How long a write that failed on a full disk counts as a full disk. */
const REFUSED_MS = 10_000;

/** Connects on the first query. */
export function openDatabase(address: DatabaseAddress, options: OpenDatabaseOptions = {}): Database {
  const { schema, place } = address;
  const settings = connectionSettings(address, options.name ?? "caret");
  // Idle connections do not keep the process alive.
  const pool = new pg.Pool({
    ...settings,
    max: options.maxConnections ?? 8,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  // An idle connection broke: the next query opens another.
  pool.on("error", () => undefined);
  // A connection broke during a query, which rejects. Without this listener, a break between checkout and statement would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  let closing: Promise<void> | undefined;
  let refused: { readonly error: CaretError; readonly at: number } | undefined;
  const noted = async <Outcome>(work: () => Promise<Outcome>): Promise<Outcome> => {
    try {
      return await again(work);
    } catch (reason) {
      if (isDiskFull(reason)) refused = { error: reason, at: performance.now() };
      throw reason;
    }
  };
  return {
    schema,
    place,
    diskFull: () => (refused !== undefined && performance.now() - refused.at < REFUSED_MS ? refused.error : undefined),
    query: (...statement) => noted(() => run(pool, ...statement)),
    transaction: (work) => noted(async () => await inTransaction(await translated(pool.connect()), work)),
    async connect(onNotice, onEnd) {
      const client = new pg.Client(settings);
      client.on("error", onEnd);
      await translated(client.connect());
      client.on("notification", ({ channel, payload }) => onNotice(channel, payload ?? ""));
      client.on("end", () => onEnd());
      return { query: (...statement) => run(client, ...statement), end: () => client.end() };
    },
    close: () => {
      closing ??= pool.end();
      return closing;
    },
  };
}

async function inTransaction<Outcome>(
  client: pg.PoolClient,
  work: (queries: Queries) => Promise<Outcome>,
): Promise<Outcome> {
  let isSound = false;
  try {
    await run(client, "begin");
    const outcome = await work({ query: (...statement) => run(client, ...statement) });
    await run(client, "commit").catch((cause: unknown) => {
      if (!isConnectionLoss(cause)) throw cause;
      throw toDatabaseError(new UnknownCommit("The connection was lost during a commit", { cause }));
    });
    isSound = true;
    return outcome;
  } catch (reason) {
    isSound = await rollBack(client);
    throw reason;
  } finally {
    // Close a connection that could not be rolled back: its transaction must not be continued.
    client.release(!isSound);
  }
}

async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    // The connection is gone, so the server has rolled back by itself. The caller throws the original error.
    return false;
  }
}

/** Incremented when a table changed under prepared statements: it is part of their names, so they are prepared again. */
let planGeneration = 0;

/**
 * Runs the work once more if a newer program migrated the database meanwhile: the statement did nothing, and its transaction was rolled
 * back.
 */
async function again<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (reason) {
    if (!isStalePlan(reason)) throw reason;
    planGeneration += 1;
    return await work();
  }
}

async function run(
  target: pg.Pool | pg.ClientBase,
  sql: string,
  values: readonly unknown[] = [],
  name?: string,
): Promise<Result> {
  const statement = {
    text: sql,
    values: values.map(toValue),
    ...(name === undefined ? {} : { name: `${name} ${planGeneration}` }),
  };
  const answer: pg.QueryResult<Record<string, unknown>> | readonly pg.QueryResult<Record<string, unknown>>[] =
    await translated(target.query<Record<string, unknown>>(statement));
  // A text with several statements yields one result for each.
  const last = Array.isArray(answer) ? answer.at(-1) : answer;
  return { rows: (last?.rows ?? []).map(toRow), count: last?.rowCount ?? 0 };
}

function toValue(value: unknown): unknown {
  if (typeof value === "string") return toKept(value);
  return Array.isArray(value) ? value.map(toValue) : value;
}

function toRow(row: Record<string, unknown>): Row {
  for (const [column, value] of Object.entries(row)) if (typeof value === "string") row[column] = fromKept(value);
  return row;
}

/** Every call to the server passes here, so no caller sees PostgreSQL's own errors. */
async function translated<Outcome>(asked: Promise<Outcome>): Promise<Outcome> {
  try {
    return await asked;
  } catch (reason) {
    throw toDatabaseError(reason);
  }
}

function connectionSettings({ url, schema }: DatabaseAddress, name: string): pg.ClientConfig {
  return {
    connectionString: url.reveal(),
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    options: `-c search_path=${schema} -c lock_timeout=${LOCK_MS} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS} -c timezone=UTC`,
    types: { getTypeParser: parserOf },
  };
}

/** Counts and times are safe integers; pg would return them as strings. */
const asNumber = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);
const parserOf = ((oid: number, format?: "text" | "binary") =>
  asNumber.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
