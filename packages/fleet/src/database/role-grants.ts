import { fleetRoles, jobRights, tableRights, usedSequences } from "./role-rights.ts";

/**
 * SQL with which an administrator creates three roles: the owner, who migrates and may do everything, gateways, and workers. Each migration
 * grants gateways and workers their rights on Caret's tables (`grantRights`); pg-boss makes its own tables, open to both.
 */
export function roleGrants(schema: string): string {
  const jobs = `${schema}_jobs`;
  const [owner, gateway, worker] = ["owner", "gateway", "worker"].map((name) => `${schema}_${name}`);
  const byDefault = `alter default privileges for role ${owner} in schema ${jobs}`;
  return `-- Run it as an administrator of the database, before the first start: psql -f roles.sql DATABASE
-- Then give each of them a password: \\password ${owner}
create role ${owner} login;
create role ${gateway} login;
create role ${worker} login;

create schema if not exists ${schema} authorization ${owner};
create schema if not exists ${jobs} authorization ${owner};
grant usage on schema ${schema}, ${jobs} to ${gateway}, ${worker};

-- What the owner makes from here on for the queue of jobs. \`caret store init\` with the owner's address grants what
-- gateways and workers may do with the other tables, one by one.
${byDefault} grant ${jobRights.join(", ")} on tables to ${gateway}, ${worker};
${byDefault} grant usage on sequences to ${gateway}, ${worker};
${byDefault} grant execute on functions to ${gateway}, ${worker};
`;
}

/**
 * Grants the roles exactly what `tableRights` says, whatever they had before. The owner runs it after each migration. Roles of earlier
 * releases had default rights on each new table, and so on each new partition of `events`.
 */
export function grantRights(schema: string): string {
  return `do $$
  declare
    relation record;
    relations cursor for
      select oid::regclass as name, case relkind when 'S' then 'sequence' else 'table' end as kind from pg_class
      where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and pg_has_role(relowner, 'usage');
  begin
    ${fleetRoles.map((role) => grantsOf(schema, role)).join("\n    ")}
  end $$`;
}

function grantsOf(schema: string, role: (typeof fleetRoles)[number]): string {
  const [name, owner] = [`${schema}_${role}`, `${schema}_owner`];
  const grants = Object.entries(tableRights).flatMap(([table, rights]) =>
    rights[role].length === 0 ? [] : [`grant ${rights[role].join(", ")} on ${schema}.${table} to ${name};`],
  );
  const byDefault = `alter default privileges for role ${owner} in schema ${schema} revoke all on`;
  return `if exists (select from pg_roles where rolname = '${name}') then
      for relation in relations loop
        execute format('revoke all on %s %s from ${name}', relation.kind, relation.name);
      end loop;
      ${[...grants, ...usedSequences.map((sequence) => `grant usage on sequence ${schema}.${sequence} to ${name};`)].join("\n      ")}
      if exists (select from pg_roles where rolname = '${owner}' and pg_has_role(oid, 'usage')) then
        ${["tables", "sequences", "functions"].map((kind) => `${byDefault} ${kind} from ${name};`).join("\n        ")}
      end if;
    end if;`;
}
