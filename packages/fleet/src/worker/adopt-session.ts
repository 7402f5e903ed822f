import { CaretError } from "@caret/protocol";
import type { SessionEngine, SessionRecord } from "@caret/runtime";
import { toSearchText } from "@caret/runtime/log/session-record.ts";
import type { Database, Queries } from "../database/open-database.ts";
import { findSession } from "../log/session-sql.ts";
import { machineQueue } from "../queue/job-queue.ts";
import { moveWaiting, withoutChats } from "../queue/move-session.ts";

export interface AdoptSessionOptions {
  readonly database: Database;
  /** Holds the session during the move, and keeps its lease if a turn begins here at the same moment. */
  readonly engine: Pick<SessionEngine, "holdSession">;
  /** This machine. */
  readonly machine: string;
}

/**
 * Takes over a session whose machine is away. This machine becomes its home for good. Its chats on the other machine are dropped, even if
 * that machine comes back: they would miss what was said since. Waits for a lost worker's lease to expire.
 */
export async function adoptSession(
  { database, engine, machine }: AdoptSessionOptions,
  sessionId: string,
  directory: string | undefined,
): Promise<SessionRecord> {
  return await engine.holdSession(sessionId, () =>
    database.transaction((queries) => moveHere(queries, sessionId, { machine, directory })),
  );
}

async function moveHere(
  queries: Queries,
  sessionId: string,
  { machine, directory }: { readonly machine: string; readonly directory: string | undefined },
): Promise<SessionRecord> {
  const known = await findSession(queries, sessionId);
  if (known === undefined) throw new CaretError("session-not-found", `There is no session ${sessionId}`);
  const session = { ...known, workspace: directory ?? known.workspace };
  const upstream = withoutChats(JSON.stringify(session.upstream));
  await queries.query(
    "update sessions set home_machine = $2, workspace = $3, search_text = $4, upstream = $5 where id = $1",
    [sessionId, machine, session.workspace, toSearchText(session), upstream],
  );
  await moveWaiting(queries, sessionId, machineQueue(machine));
  return { ...session, upstream: JSON.parse(upstream) as SessionRecord["upstream"] };
}
