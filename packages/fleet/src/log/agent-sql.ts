import type { AgentRecord, NewAgent } from "@caret/runtime/log/agent-store.ts";
import { nameTaken } from "@caret/runtime/log/agent-store.ts";
import { toAgent } from "@caret/runtime/log/rows/agent-rows.ts";
import type { Queries } from "../database/open-database.ts";

export async function findAgent(queries: Queries, name: string): Promise<AgentRecord | undefined> {
  return toAgent((await queries.query("select * from agents where name = $1", [name])).rows[0]);
}

export async function agentOfSession(queries: Queries, sessionId: string): Promise<AgentRecord | undefined> {
  return toAgent((await queries.query("select * from agents where session_id = $1", [sessionId])).rows[0]);
}

export async function listAgents(queries: Queries): Promise<readonly AgentRecord[]> {
  return (await queries.query("select * from agents order by name")).rows.flatMap((row) => toAgent(row) ?? []);
}

/** Throws `invalid-request` if the name is taken. */
export async function insertAgent(
  queries: Queries,
  { name, createdBy, worktree, userServers }: NewAgent,
  sessionId: string,
): Promise<void> {
  const { count } = await queries.query(
    `insert into agents (name, session_id, created_by, repository, branch, user_servers) values ($1, $2, $3, $4, $5, $6)
     on conflict (name) do nothing`,
    [name, sessionId, createdBy, worktree?.repository ?? null, worktree?.branch ?? null, userServers ?? null],
  );
  if (count === 0) throw nameTaken(name);
}
