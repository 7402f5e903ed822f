import { CaretError } from "@caret/protocol";
import { codeOf } from "./database-error.ts";
import { type Migration, migrations } from "./migrations/migrations.ts";
import type { Database, Queries } from "./open-database.ts";
import { grantRights } from "./role-grants.ts";

/** Advisory lock for migrations; the same in all program versions. */
const LOCK = "hashtextextended('caret migrations of ' || current_schema(), 0)";

/**
 * Brings the tables up to date, once for all programs that start together. Uses a database of a newer program as is if that program's
 * migrations allow it; else throws `storage-failed`.
 */
export async function migrateDatabase(database: Database, known: readonly Migration[] = migrations): Promise<void> {
  const applied = await findApplied(database);
  assertUsable(applied, known.length);
  if (newestOf(applied) < known.length) await applyMissing(database, known).catch(adviseOwner);
}

/** Grants the roles of `caret store roles` their rights again, after someone changed them or made the roles later than the tables. */
export async function grantRoles(database: Database): Promise<void> {
  await database.query(grantRights(database.schema));
}

/** Rethrows. If this user lacks the rights to migrate, the error tells that the database's owner must. */
export function adviseOwner(cause: unknown): never {
  if (!isForbidden(cause)) throw cause;
  throw new CaretError(
    "storage-failed",
    "The database's tables are not up to date, and this user may not change them",
    {
      fix: "Run `caret store init` with the address of the database's owner; `caret store roles --print` makes that role.",
      cause,
    },
  );
}

function isForbidden(reason: unknown): boolean {
  return CaretError.is(reason) && codeOf(reason.cause) === "42501";
}

interface Applied {
  readonly number: number;
  readonly oldestProgram: number;
}

export async function createSchema(database: Database, schema: string): Promise<void> {
  await database.query(`create schema if not exists ${schema}`).catch((reason: unknown) => {
    // A user without that right may still find an existing schema.
    if (!isForbidden(reason) && !isMadeMeanwhile(reason)) throw reason;
  });
}

/** Two programs that create the same schema at once both find none; the second then violates the unique index of its name. */
function isMadeMeanwhile(reason: unknown): boolean {
  return CaretError.is(reason) && codeOf(reason.cause) === "23505";
}

async function applyMissing(database: Database, known: readonly Migration[]): Promise<void> {
  await createSchema(database, database.schema);
  await database.transaction(async (queries) => {
    await queries.query("set local lock_timeout = 0");
    await queries.query(`select pg_advisory_xact_lock(${LOCK})`);
    await queries.query(`create table if not exists schema_migrations (
      number integer not null primary key, oldest_program integer not null, applied_at timestamptz not null default now()
    )`);
    const applied = newestOf(await listApplied(queries));
    for (const [index, { sql, oldestProgram }] of known.entries()) {
      if (index < applied) continue;
      await queries.query(sql);
      await queries.query("insert into schema_migrations values ($1, $2)", [index + 1, oldestProgram]);
    }
    await queries.query(grantRights(database.schema));
  });
}

/** Empty if the tables were never created. */
async function findApplied(database: Database): Promise<readonly Applied[]> {
  const { rows } = await database.query("select to_regclass($1 || '.schema_migrations') is not null as made", [
    database.schema,
  ]);
  return rows[0]?.["made"] === true ? await listApplied(database) : [];
}

async function listApplied(queries: Queries): Promise<readonly Applied[]> {
  const { rows } = await queries.query("select number, oldest_program from schema_migrations order by number");
  return rows.map((row) => ({ number: Number(row["number"]), oldestProgram: Number(row["oldest_program"]) }));
}

function newestOf(applied: readonly Applied[]): number {
  return applied.at(-1)?.number ?? 0;
}

function assertUsable(applied: readonly Applied[], known: number): void {
  const needed = Math.max(0, ...applied.map(({ oldestProgram }) => oldestProgram));
  if (needed > known)
    throw new CaretError(
      "storage-failed",
      "The database was migrated by a newer Caret that this one cannot work beside",
      {
        fix: "Update Caret on this machine.",
      },
    );
}
