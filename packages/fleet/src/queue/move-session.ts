import { CaretError } from "@caret/protocol";
import type { Database, Queries } from "../database/open-database.ts";
import { MACHINE_PREFIX } from "../members/machine-wait.ts";
import { createMembers } from "../members/members.ts";
import { machineQueue } from "./job-queue.ts";

/**
 * Moves a session to another home machine. Waiting turns run there: reaping sends a job for turns whose queue has none. The workspace must
 * exist there already. Chats of Cursor's programs stay on the old machine; the next turn gets the transcript instead.
 */
export async function moveSession(database: Database, sessionId: string, machine: string): Promise<void> {
  const queue = machineQueue(machine);
  const members = await createMembers(database).list();
  if (!members.some((member) => member.role === "worker" && member.machine === machine))
    throw new CaretError("not-found", `No worker of the machine ${machine} was there within the last hour`, {
      fix: "Start `caret worker` there first: its setting `fleet.machine`, or the host name, is its name.",
    });
  await database.transaction(async (queries) => {
    await assertFree(queries, sessionId);
    const { rows } = await queries.query("select upstream from sessions where id = $1", [sessionId]);
    await queries.query("update sessions set home_machine = $2, upstream = $3, updated_at = $4 where id = $1", [
      sessionId,
      machine,
      withoutChats(String(rows[0]?.["upstream"] ?? "[]")),
      Date.now(),
    ]);
    await moveWaiting(queries, sessionId, queue);
  });
}

/** Locks the key and the session until the transaction ends, so no turn begins meanwhile. */
async function assertFree(queries: Queries, sessionId: string): Promise<void> {
  for (const sql of [
    "select owner from work where key = $1 for update",
    "select owner from sessions where id = $1 for update",
  ])
    if (((await queries.query(sql, [sessionId])).rows[0]?.["owner"] ?? null) !== null)
      throw new CaretError("session-busy", `A worker has the session ${sessionId}`, {
        fix: "Wait for the end of its turn, or stop it.",
      });
}

/** Moves work that waits for the session's machine to another queue. */
export async function moveWaiting(queries: Queries, sessionId: string, queue: string): Promise<void> {
  const sql = `update work set queue = $2 where key = $1 and starts_with(queue, '${MACHINE_PREFIX}')`;
  await queries.query(sql, [sessionId, queue]);
}

/** Keeps attachments of the API lane: what its upstream stores with the client is in the database. */
export function withoutChats(upstream: string): string {
  const attachments = JSON.parse(upstream) as readonly { readonly lane?: unknown }[];
  return JSON.stringify(attachments.filter((attachment) => attachment?.lane === "api"));
}
