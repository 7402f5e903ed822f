import type { DatabaseSync } from "node:sqlite";
import type { AgentReport } from "@caret/protocol";
import type { AgentRecord, NewAgent, Suspension } from "../agent-store.ts";
import type { Row } from "./open-database.ts";

export interface AgentTable {
  find(name: string): AgentRecord | undefined;
  ofSession(sessionId: string): AgentRecord | undefined;
  list(): readonly AgentRecord[];
  insert(agent: NewAgent, sessionId: string): void;
  suspend(name: string, suspension: Suspension | undefined): void;
  report(name: string, report: AgentReport): void;
  setUserServers(name: string, userServers: boolean): void;
  remove(name: string): void;
}

export function createAgentTable(database: DatabaseSync): AgentTable {
  const find = database.prepare("select * from agent where name = ?");
  const ofSession = database.prepare("select * from agent where session_id = ?");
  const list = database.prepare("select * from agent order by name");
  const insert = database.prepare(
    "insert into agent (name, session_id, created_by, repository, branch, user_servers) values (?, ?, ?, ?, ?, ?)",
  );
  const suspend = database.prepare("update agent set suspended_at = ?, suspended_why = ? where name = ?");
  const report = database.prepare("update agent set report = ?, report_at = ? where name = ?");
  const setUserServers = database.prepare("update agent set user_servers = ? where name = ?");
  const remove = database.prepare("delete from agent where name = ?");
  return {
    find: (name) => toRecord(find.get(name)),
    ofSession: (sessionId) => toRecord(ofSession.get(sessionId)),
    list: () => list.all().flatMap((row) => toRecord(row) ?? []),
    insert({ name, createdBy, worktree, userServers }, sessionId) {
      const { repository = null, branch = null } = worktree ?? {};
      insert.run(
        name,
        sessionId,
        createdBy,
        repository,
        branch,
        userServers === undefined ? null : Number(userServers),
      );
    },
    suspend: (name, suspension) => void suspend.run(suspension?.since ?? null, suspension?.why ?? null, name),
    report: (name, { text, at }) => void report.run(text, at, name),
    setUserServers: (name, userServers) => void setUserServers.run(Number(userServers), name),
    remove: (name) => void remove.run(name),
  };
}

function toRecord(row: Row | undefined): AgentRecord | undefined {
  if (row === undefined) return undefined;
  const { repository, branch, suspended_at: since, suspended_why: why, report: text, report_at: at } = row;
  const { user_servers: userServers } = row;
  return {
    name: String(row["name"]),
    sessionId: String(row["session_id"]),
    createdBy: String(row["created_by"]),
    ...(repository === null ? {} : { worktree: { repository: String(repository), branch: String(branch) } }),
    ...(since === null ? {} : { suspended: { since: Number(since), ...(why === null ? {} : { why: String(why) }) } }),
    ...(text === null ? {} : { report: { text: String(text), at: Number(at) } }),
    ...(userServers === null ? {} : { userServers: userServers === 1 }),
  };
}
