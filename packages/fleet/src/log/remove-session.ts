import { sessionReceiver } from "@caret/protocol";
import { belongsTo } from "@caret/runtime/log/agent-store.ts";
import { type DeleteOptions, turnRuns } from "@caret/runtime/log/event-store.ts";
import type { Queries } from "../database/open-database.ts";
import { agentOfSession } from "./agent-sql.ts";
import { recordCommand } from "./command-sql.ts";
import { hideSession, lockSession } from "./session-sql.ts";
import { listRunning } from "./turn-sql.ts";

/** Largest session deleted in one transaction while the client waits. */
const SMALL_EVENTS = 2_000;
const CHUNK_EVENTS = 10_000;

export interface RemoveOptions extends DeleteOptions {
  readonly now: number;
  readonly owner: string;
  /** If false, the session is only hidden. */
  readonly mayDelete: boolean;
}

/** `hidden`: nobody sees it any more, and `removeStep` deletes the rest. Undefined if no session qualifies. */
export async function removeIn(
  queries: Queries,
  sessionId: string,
  { updatedBefore = Number.POSITIVE_INFINITY, command, now, owner, mayDelete }: RemoveOptions,
): Promise<"gone" | "hidden" | undefined> {
  const state = await lockSession(queries, sessionId);
  if (state === undefined || state.hidden === "removed" || state.updatedAt >= updatedBefore) return undefined;
  const agent = await agentOfSession(queries, sessionId);
  if (agent !== undefined) throw belongsTo(agent.name);
  if ((await listRunning(queries, { sessionId })).length > 0) throw turnRuns(sessionId);
  if (command !== undefined) await recordCommand(queries, command, { sessionId }, now);
  await queries.query("delete from messages where receiver = $1", [sessionReceiver(sessionId)]);
  if (mayDelete && state.lastSeq <= SMALL_EVENTS) {
    await removeWhole(queries, sessionId);
    return "gone";
  }
  await hideSession(queries, sessionId, { why: "removed", owner });
  return "hidden";
}

/** Includes all of its events. */
export async function removeWhole(queries: Queries, sessionId: string): Promise<void> {
  await queries.query("delete from events where session_id = $1", [sessionId]);
  await queries.query("delete from sessions where id = $1", [sessionId]);
}

/** Deletes a chunk of a session that is being deleted. Returns whether it is gone. */
export async function removeStep(queries: Queries, sessionId: string): Promise<boolean> {
  // Another process may have finished, and a new session may have the id by now.
  if ((await lockSession(queries, sessionId))?.hidden !== "removed") return true;
  const { count } = await queries.query(
    "delete from events where session_id = $1 and seq <= (select min(seq) from events where session_id = $1) + $2",
    [sessionId, CHUNK_EVENTS],
  );
  if (count > 0) return false;
  await removeWhole(queries, sessionId);
  return true;
}
