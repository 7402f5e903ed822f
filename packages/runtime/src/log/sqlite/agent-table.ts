import type { DatabaseSync } from "node:sqlite";
import type { AgentReport } from "@caret/protocol";
import type { AgentRecord, NewAgent, Suspension } from "../agent-store.ts";
import { toAgent } from "../rows/agent-rows.ts";

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
    find: (name) => toAgent(find.get(name)),
    ofSession: (sessionId) => toAgent(ofSession.get(sessionId)),
    list: () => list.all().flatMap((row) => toAgent(row) ?? []),
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
