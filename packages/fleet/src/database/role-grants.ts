/** The tables that a program of a later version may add get the same rights by default. */
const both = "select, insert, update, delete";

/**
 * The SQL by which an administrator makes three roles: the owner, who migrates and may do everything; gateways; workers. Nobody but the
 * owner may change an event that is written, or a table. Workers, where agents run, may not delete what was logged either, nor ask
 * for turns, nor see tokens; gateways cannot say what runs. pg-boss's own tables are for both.
 */
export function roleGrants(schema: string): string {
  const jobs = `${schema}_jobs`;
  const [owner, gateway, worker] = ["owner", "gateway", "worker"].map((name) => `${schema}_${name}`);
  return `-- Run it as an administrator of the database, before the first start: psql -f roles.sql DATABASE
-- Then give each of them a password: \\password ${owner}
create role ${owner} login;
create role ${gateway} login;
create role ${worker} login;

create schema if not exists ${schema} authorization ${owner};
create schema if not exists ${jobs} authorization ${owner};
grant usage on schema ${schema}, ${jobs} to ${gateway}, ${worker};

-- What the owner makes from here on: \`caret store init\` with the owner's address.
alter default privileges for role ${owner} in schema ${schema}, ${jobs} grant ${both} on tables to ${gateway}, ${worker};
alter default privileges for role ${owner} in schema ${schema}, ${jobs} grant usage on sequences to ${gateway}, ${worker};
alter default privileges for role ${owner} in schema ${schema}, ${jobs} grant execute on functions to ${gateway}, ${worker};
`;
}

/** What `roleGrants` cannot say before the tables are there: the owner says it after each migration. */
export function narrowGrants(schema: string): string {
  return `
  do $$ begin
    if exists (select from pg_roles where rolname = '${schema}_gateway') then
      revoke update on events from ${schema}_gateway;
      revoke insert, update, delete on running_turns, live_batches, comparisons from ${schema}_gateway;
      revoke delete on work, turns from ${schema}_gateway;
      revoke insert, update, delete on lineage_transcripts, lineage_newest, lineage_scopes from ${schema}_gateway;
      revoke insert, update, delete on schema_migrations from ${schema}_gateway;
    end if;
    if exists (select from pg_roles where rolname = '${schema}_worker') then
      revoke update, delete on events from ${schema}_worker;
      revoke delete on sessions, turn_usages, work from ${schema}_worker;
      revoke insert on work, turns, commands from ${schema}_worker;
      revoke all on tokens from ${schema}_worker;
      revoke insert, update, delete on schema_migrations from ${schema}_worker;
    end if;
  end $$`;
}
