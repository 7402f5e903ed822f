import type { CaretError } from "@caret/protocol";
import pg from "pg";
import type { DatabaseAddress } from "./database-address.ts";
import { isConnectionLoss, isDiskFull, isStalePlan, toDatabaseError, UnknownCommit } from "./database-error.ts";
import { fromKept, toKept } from "./kept-text.ts";

/** One row, by column. */
export type Row = Readonly<Record<string, unknown>>;

export interface Result {
  readonly rows: readonly Row[];
  /** How many rows the statement wrote or read. */
  readonly count: number;
}

/** Something that takes statements: the database, or one transaction of it. */
export interface Queries {
  /** A named statement is prepared once per connection. Rejects with an error of ours; what PostgreSQL said is its cause. */
  query(sql: string, values?: readonly unknown[], name?: string): Promise<Result>;
}

export interface Database extends Queries {
  readonly schema: string;
  readonly place: string;
  /** A write was refused within the last seconds because the disk is full. A smaller one may still find room. */
  diskFull(): CaretError | undefined;
  /** Commits when `work` resolves, else rolls back. Rejects with what `work` threw. */
  transaction<Outcome>(work: (queries: Queries) => Promise<Outcome>): Promise<Outcome>;
  /** A connection of its own, for LISTEN. The caller ends it. */
  connect(onNotice: (channel: string, payload: string) => void, onEnd: (error?: Error) => void): Promise<Listener>;
  close(): Promise<void>;
}

export interface Listener extends Queries {
  end(): Promise<void>;
}

export interface OpenDatabaseOptions {
  /** How the server names this process in `pg_stat_activity`. */
  readonly name?: string;
  readonly maxConnections?: number;
}

/** A statement waits so long for a row that another transaction has. */
const LOCK_MS = 2_000;
/** A process that was stopped in mid-transaction loses its connection after this, and its locks with it. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_MS = 10_000;
/** A write that found no room says so long that the disk is full. */
const REFUSED_MS = 10_000;

/** Connects with the first query. */
export function openDatabase(address: DatabaseAddress, options: OpenDatabaseOptions = {}): Database {
  const { schema, place } = address;
  const settings = connectionSettings(address, options.name ?? "caret");
  // A connection that nobody uses keeps no process from ending.
  const pool = new pg.Pool({
    ...settings,
    max: options.maxConnections ?? 8,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  // A connection that breaks while nobody uses it: the next query opens another one.
  pool.on("error", () => undefined);
  // One that breaks in the hands of a query: that rejects. Between its taking and its statement nobody listens, and the process would end.
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
    // One that could not be rolled back is closed: nobody may go on in its transaction.
    client.release(!isSound);
  }
}

async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    // The connection is gone, and the server has rolled back by itself. What broke it is thrown by the caller.
    return false;
  }
}

/** Grows when a table has changed under prepared statements: from then on they have other names, and are prepared again. */
let planGeneration = 0;

/** A newer program has migrated the database: the statement did nothing, and its transaction was rolled back. */
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
  // Several statements in one text give one result each.
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

/** Whatever is asked of the server or of the way to it passes here, so that nobody else sees an error of PostgreSQL's own. */
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

/** Counts and times are safe integers: pg would give them as text. */
const asNumber = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);
const parserOf = ((oid: number, format?: "text" | "binary") =>
  asNumber.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
