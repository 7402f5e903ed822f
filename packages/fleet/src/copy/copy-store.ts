import { CaretError } from "@caret/protocol";
import { type CopiedStore, eventPages } from "./copied-store.ts";
import { sharedTables } from "./copied-tables.ts";
import { digestSession, type SessionDigest } from "./session-digest.ts";

export interface CopyProgress {
  readonly sessionId: string;
  /** Sessions done, including this one, and their total. */
  readonly done: number;
  readonly total: number;
  readonly events: number;
  /** An identical copy existed: an earlier run was interrupted after it. */
  readonly isOld: boolean;
}

export interface CopyReport {
  readonly sessions: number;
  /** Sessions that an earlier run had copied. */
  readonly found: number;
  readonly events: number;
}

/**
 * Copies everything session by session. Each session is written atomically and then verified by digest. Can be interrupted and restarted at
 * any time: sessions already in the target are verified and left alone. Never changes the source.
 */
export async function copyStore(
  from: CopiedStore,
  to: CopiedStore,
  onProgress: (progress: CopyProgress) => void = () => undefined,
): Promise<CopyReport> {
  await from.assertIdle();
  await to.assertIdle();
  const ids = await from.sessionIds();
  let [found, events] = [0, 0];
  for (const [index, sessionId] of ids.entries()) {
    const { isOld, digest } = await copySession(from, to, sessionId);
    found += Number(isOld);
    events += digest.events;
    onProgress({ sessionId, done: index + 1, total: ids.length, events: digest.events, isOld });
  }
  const shared = new Map(
    await Promise.all(sharedTables.map(async (table) => [table, await from.readShared(table)] as const)),
  );
  await to.writeShared(await from.readLostUsages(), shared);
  return { sessions: ids.length, found, events };
}

async function copySession(
  from: CopiedStore,
  to: CopiedStore,
  sessionId: string,
): Promise<{ readonly isOld: boolean; readonly digest: SessionDigest }> {
  const session = await from.readSession(sessionId);
  const digest = await digestSession(from, sessionId);
  if (session === undefined || digest === undefined)
    throw new CaretError("session-busy", `The session ${sessionId} was deleted during the copy`, {
      fix: "Stop what uses the source, and start the copy again.",
    });
  const there = await digestSession(to, sessionId);
  if (there !== undefined && there.sha256 !== digest.sha256)
    throw new CaretError("invalid-request", `The target has another session ${sessionId}`, {
      fix: "Copy into an empty store, or delete that session there.",
    });
  if (there === undefined) {
    await to.writeSession(session, eventPages(from, sessionId));
    if ((await digestSession(to, sessionId))?.sha256 !== digest.sha256)
      throw new CaretError("storage-failed", `The copy of the session ${sessionId} differs from the session`, {
        fix: "Delete it in the target and start the copy again; report it if it differs again.",
      });
  }
  return { isOld: there !== undefined, digest };
}
