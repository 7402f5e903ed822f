import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installJobs } from "../queue/job-queue.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { readDatabaseAddress } from "./database-address.ts";
import { codeOf } from "./database-error.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { migrations } from "./migrations/migrations.ts";
import { type Database, openDatabase } from "./open-database.ts";
import { roleGrants } from "./role-grants.ts";
import { type FleetRole, fleetRoles, jobRights, tableRights, usedSequences } from "./role-rights.ts";

let server: PostgresServer;
const opened: Database[] = [];

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await server.stop();
});

/** Each test has a schema and a database of the same name. */
function as(role: FleetRole | "owner", schema: string): Database {
  const url = `${server.url(schema).replace("caret@", `${schema}_${role}@`)}&schema=${schema}`;
  const database = openDatabase(readDatabaseAddress(url), { maxConnections: 1 });
  opened.push(database);
  return database;
}

/** The state before rights were granted one by one: granted by default on each new table, and revoked from some by name. */
const olderRoles = `
  create role older_owner login; create role older_gateway login; create role older_worker login;
  create schema older authorization older_owner; create schema older_jobs authorization older_owner;
  grant usage on schema older, older_jobs to older_gateway, older_worker;
  alter default privileges for role older_owner in schema older, older_jobs
    grant select, insert, update, delete on tables to older_gateway, older_worker;
  alter default privileges for role older_owner in schema older, older_jobs grant usage on sequences to older_gateway, older_worker;`;
const olderGrants = `
  grant select, insert, update, delete on all tables in schema older to older_gateway, older_worker;
  grant usage on all sequences in schema older to older_gateway, older_worker;
  alter default privileges in schema older grant select, insert, update, delete on tables to older_gateway, older_worker;`;

interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  readonly column: string;
}

/** All tables, views and sequences in Caret's schemas, from the catalogue. */
async function relationsOf(owner: Database): Promise<readonly Relation[]> {
  const { rows } = await owner.query(
    `select nspname as schema, relname as name, relkind as kind,
       (select attname from pg_attribute where attrelid = pg_class.oid and attnum > 0 and attgenerated = '' and attidentity = ''
         order by attnum limit 1) as column
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = any($1) and relkind in ('r', 'p', 'v', 'm', 'f', 'S') order by 1, 2`,
    [[owner.schema, `${owner.schema}_jobs`]],
  );
  return rows as unknown as readonly Relation[];
}

/** What a role might try; each statement has no effect if it is allowed. */
const attempts: Readonly<Record<string, (target: string, relation: Relation) => string>> = {
  select: (target) => `select 1 from ${target} limit 0`,
  insert: (target) => `insert into ${target} default values`,
  update: (target, { column }) => `update ${target} set ${column} = default where false`,
  delete: (target) => `delete from ${target} where false`,
  truncate: (target) => `truncate ${target} cascade`,
  "alter table": (target) => `alter table ${target} add column added integer`,
  "change owner": (target) => `alter table ${target} owner to current_user`,
  "drop table": (target) => `drop table ${target} cascade`,
  "create index": (target, { column }) => `create index added on ${target} (${column})`,
  "create trigger": (target) =>
    `create trigger added before insert on ${target} for each row execute function pg_catalog.suppress_redundant_updates_trigger()`,
  "create rule": (target) => `create rule added as on insert to ${target} do instead nothing`,
  refer: (target) => `create temporary table referring (like ${target}); alter table ${target} inherit referring`,
  inherit: (target) => `create temporary table child () inherits (${target})`,
  detach: (target, { schema }) => `alter table ${schema}.events detach partition ${target}`,
  lock: (target) => `lock table ${target} in access exclusive mode`,
};
const sequenceAttempts: Readonly<Record<string, (target: string) => string>> = {
  usage: (target) => `select nextval('${target}')`,
  update: (target) => `select setval('${target}', 1)`,
  "alter sequence": (target) => `alter sequence ${target} restart`,
};

class RolledBack extends Error {}

/** Whether PostgreSQL lets the role do it; any effect is rolled back. */
async function isAllowed(database: Database, sql: string): Promise<boolean> {
  try {
    await database.transaction(async (queries) => {
      await queries.query(sql);
      throw new RolledBack();
    });
    throw new Error("A statement that is only tried was committed");
  } catch (reason) {
    if (reason instanceof RolledBack) return true;
    const cause = (reason as Error).cause;
    if (codeOf(cause) === "42501") return false;
    // A row without values violates a constraint, which is checked only if the insert is allowed.
    if (codeOf(cause).startsWith("23")) return true;
    // A statement that does not fit the kind of relation was rejected before its rights were checked.
    if (["42809", "42P01", "42P16", "42P17", "0A000", "55000", "428C9"].includes(codeOf(cause))) return false;
    throw new Error(sql, { cause: reason });
  }
}

async function foundRights(database: Database, relations: readonly Relation[]) {
  const found: Record<string, readonly string[]> = {};
  for (const relation of relations) {
    const target = `${relation.schema}.${relation.name}`;
    const tried = Object.entries(relation.kind === "S" ? sequenceAttempts : attempts);
    const allowed: string[] = [];
    for (const [verb, sqlOf] of tried) if (await isAllowed(database, sqlOf(target, relation))) allowed.push(verb);
    found[target] = allowed;
  }
  return found;
}

/** The rights that the documents promise. A role that may update or delete a table's rows may lock it. */
function promisedRights(role: FleetRole, relations: readonly Relation[]) {
  const promised: Record<string, readonly string[]> = {};
  for (const { schema, name, kind } of relations) {
    const verbs = schema.endsWith("_jobs") ? jobRights : (tableRights[name]?.[role] ?? []);
    const used = schema.endsWith("_jobs") || usedSequences.includes(name) ? ["usage"] : [];
    const mayLock = verbs.some((verb) => verb === "update" || verb === "delete");
    promised[`${schema}.${name}`] = kind === "S" ? used : [...verbs, ...(mayLock ? ["lock"] : [])];
  }
  return promised;
}

/** Detaches one partition and makes another later, through a role that may not create tables. */
async function changePartitions(owner: Database, maker: Database): Promise<readonly string[]> {
  const { rows } = await owner.query(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1",
  );
  const names = rows.map(({ name }) => String(name));
  await owner.query(`alter table events detach partition ${names[1]}; drop table ${names[2]}`);
  await owner.query(`alter table ${names[1]} rename to events_detached`);
  await maker.query("select make_event_partitions()");
  return [...names, "events_detached"].map((name) => `${owner.schema}.${name}`);
}

/** Tables with the same rights share a row. */
function rightsTable(): string {
  const rows = Map.groupBy(Object.entries(tableRights), ([, { gateway, worker }]) =>
    [gateway, worker].map((verbs) => verbs.join(", ") || "nothing").join(" | "),
  );
  const lines = [...rows].map(
    ([rights, tables]) => `| ${tables.map(([name]) => `\`${name}\``).join(", ")} | ${rights} |`,
  );
  const all = jobRights.join(", ");
  return [
    "| Tables | Gateway | Worker |",
    "|---|---|---|",
    ...lines,
    `| those of \`caret_jobs\` | ${all} | ${all} |`,
  ].join("\n");
}

it("is what docs/fleet.md says of the roles; UPDATE_DOCS=1 writes it there", () => {
  const page = join(import.meta.dirname, "../../../../docs/fleet.md");
  const text = readFileSync(page, "utf8");
  const found = /(role-rights\.test\.ts -->\n)([\s\S]*?)(<!-- The end of the rights)/;
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, text.replace(found, `$1${rightsTable()}\n$3`));
  expect(found.exec(readFileSync(page, "utf8"))?.[2]).toBe(`${rightsTable()}\n`);
});

it("gives each role exactly what is documented, on every relation of the schemas, partitions made later and detached ones too", async () => {
  server.createDatabase("caret_now");
  server.run("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "caret_now"], roleGrants("caret_now"));
  const owner = as("owner", "caret_now");
  await migrateDatabase(owner);
  await installJobs(owner);
  const partitions = await changePartitions(owner, as("worker", "caret_now"));
  const relations = await relationsOf(owner);
  const names = relations.map(({ schema, name }) => `${schema}.${name}`);
  expect(names).toEqual(
    expect.arrayContaining([...partitions, ...Object.keys(tableRights).map((name) => `caret_now.${name}`)]),
  );
  for (const role of fleetRoles)
    expect(await foundRights(as(role, "caret_now"), relations), role).toEqual(promisedRights(role, relations));
  for (const role of fleetRoles)
    for (const sql of [
      "create table caret_now.mine (id text)",
      "create schema mine",
      "drop schema caret_now cascade",
      "set role caret_now_owner",
    ])
      expect([role, sql, await isAllowed(as(role, "caret_now"), sql)]).toEqual([role, sql, false]);
});

it("takes from roles of an earlier release what they had too much, when the owner migrates", async () => {
  server.createDatabase("older");
  server.run("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "older"], olderRoles);
  const owner = as("owner", "older");
  await migrateDatabase(owner, migrations.slice(0, 9));
  await installJobs(owner);
  await owner.query(olderGrants);
  const worker = as("worker", "older");
  const before = await foundRights(worker, await relationsOf(owner));
  expect(before["older.tokens"]).toContain("select");
  await migrateDatabase(owner);
  await changePartitions(owner, worker);
  const relations = await relationsOf(owner);
  for (const role of fleetRoles)
    expect(await foundRights(as(role, "older"), relations), role).toEqual(promisedRights(role, relations));
});
