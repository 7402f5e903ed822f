import { nameTaken } from "../agent-store.ts";
import {
  type CommandOptions,
  type CreateOptions,
  type NewSession,
  notStaged,
  type SessionChanges,
  type SessionRecord,
  sessionTaken,
} from "../event-store.ts";
import { changeSession, toSessionRecord } from "../session-record.ts";
import { findSession } from "./append-events.ts";
import type { LogTables } from "./log-tables.ts";

interface Noted {
  readonly now: number;
  readonly owner: string;
}

export function createIn(
  { sessions, commands, agents }: LogTables,
  session: NewSession,
  { staged, command, agent, now, owner }: CreateOptions & Noted,
): SessionRecord {
  const state = sessions.state(session.id);
  if (state !== undefined && state.hidden !== "removed") throw sessionTaken(session.id);
  if (agent !== undefined && agents.find(agent.name) !== undefined) throw nameTaken(agent.name);
  if (command !== undefined) commands.record(command, { sessionId: session.id }, now);
  // A session of the same id is being deleted: its remains must not become part of the new one.
  if (state !== undefined) sessions.remove(session.id);
  const record = toSessionRecord(session);
  sessions.save(record);
  if (agent !== undefined) agents.insert(agent, session.id);
  if (staged === true) sessions.hide(session.id, "staged", owner);
  return record;
}

export function publishIn(
  tables: LogTables,
  sessionId: string,
  changes: SessionChanges,
  { command, now }: CommandOptions & Noted,
): SessionRecord {
  const { sessions, commands } = tables;
  if (sessions.state(sessionId)?.hidden !== "staged") throw notStaged(sessionId);
  if (command !== undefined) commands.record(command, { sessionId }, now);
  sessions.show(sessionId);
  const published = changeSession(findSession(tables, sessionId), changes, now);
  sessions.save(published);
  return published;
}
