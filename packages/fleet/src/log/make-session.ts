import {
  type CommandOptions,
  type CreateOptions,
  type NewSession,
  notStaged,
  type SessionChanges,
  type SessionRecord,
  sessionTaken,
  unknownSession,
} from "@caret/runtime/log/event-store.ts";
import { changeSession, toSessionRecord } from "@caret/runtime/log/session-record.ts";
import type { Queries } from "../database/open-database.ts";
import { insertAgent } from "./agent-sql.ts";
import { recordCommand } from "./command-sql.ts";
import { removeWhole } from "./remove-session.ts";
import { findSession, hideSession, insertSession, leaseSession, lockSession, saveSession } from "./session-sql.ts";

interface Noted {
  readonly now: number;
  readonly owner: string;
}

interface Made extends Noted {
  /** The process holds the session from its first row, for this long without renewal. Undefined: nobody holds it. */
  readonly leaseMs: number | undefined;
  readonly home: string | undefined;
}

export async function createIn(
  queries: Queries,
  session: NewSession,
  { staged, command, agent, now, owner, leaseMs, home }: CreateOptions & Made,
): Promise<SessionRecord> {
  const state = await lockSession(queries, session.id);
  // A session with this id is being deleted: its remains must not become part of the new one.
  if (state?.hidden === "removed") await removeWhole(queries, session.id);
  else if (state !== undefined) throw sessionTaken(session.id);
  if (command !== undefined) await recordCommand(queries, command, { sessionId: session.id }, now);
  const record = toSessionRecord(session);
  if (!(await insertSession(queries, record, home))) throw sessionTaken(session.id);
  if (leaseMs !== undefined) await leaseSession(queries, session.id, owner, leaseMs);
  if (agent !== undefined) await insertAgent(queries, agent, session.id);
  if (staged === true) await hideSession(queries, session.id, { why: "staged", owner });
  return record;
}

export async function publishIn(
  queries: Queries,
  sessionId: string,
  changes: SessionChanges,
  { command, now }: CommandOptions & Noted,
): Promise<SessionRecord> {
  if ((await lockSession(queries, sessionId))?.hidden !== "staged") throw notStaged(sessionId);
  if (command !== undefined) await recordCommand(queries, command, { sessionId }, now);
  await hideSession(queries, sessionId, undefined);
  return await changeIn(queries, sessionId, changes, now);
}

export async function changeIn(
  queries: Queries,
  sessionId: string,
  changes: SessionChanges,
  now: number,
): Promise<SessionRecord> {
  await lockSession(queries, sessionId);
  const session = await findSession(queries, sessionId);
  if (session === undefined) throw unknownSession(sessionId);
  const changed = changeSession(session, changes, now);
  await saveSession(queries, changed);
  return changed;
}
