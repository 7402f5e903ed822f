import type { CommandKey, CommandRecord } from "@caret/protocol";
import { commandTaken } from "@caret/runtime/log/command-taken.ts";
import { COMMANDS_KEPT_MS } from "@caret/runtime/log/event-store.ts";
import { toCommandRecord } from "@caret/runtime/log/rows/event-row.ts";
import type { Queries } from "../database/open-database.ts";

/** Skips rows that another transaction is deleting. */
const forgetSql = `
  delete from done_commands where name in (
    select name from done_commands where at <= $1 limit 100 for update skip locked
  )
`;

export async function findCommand(queries: Queries, name: string, now: number): Promise<CommandRecord | undefined> {
  const sql = "select * from done_commands where name = $1 and at > $2";
  return (await queries.query(sql, [name, now - COMMANDS_KEPT_MS])).rows.map(toCommandRecord)[0];
}

/** Throws `session-busy` if the name exists. Deletes expired commands. */
export async function recordCommand(
  queries: Queries,
  { name, digest }: CommandKey,
  { sessionId, turn }: Omit<CommandRecord, "digest">,
  now: number,
): Promise<void> {
  await queries.query(forgetSql, [now - COMMANDS_KEPT_MS]);
  const { count } = await queries.query(
    "insert into done_commands values ($1, $2, $3, $4, $5, $6) on conflict do nothing",
    [name, digest, sessionId, turn?.turnId ?? null, turn?.firstSeq ?? null, now],
  );
  if (count === 0) throw commandTaken();
}
