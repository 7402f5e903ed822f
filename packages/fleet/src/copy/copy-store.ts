import { CaretError } from "@caret/protocol";
import { type CopiedStore, eventPages } from "./copied-store.ts";
import { sharedTables } from "./copied-tables.ts";
import { digestSession, type SessionDigest } from "./session-digest.ts";

export interface CopyProgress {
  readonly sessionId: string;
  /** How many sessions are done, this one included, and how many there are. */
  readonly done: number;
  readonly total: number;
  readonly events: number;
  /** It was there already, the same: an earlier copy was interrupted after it. */
  readonly isOld: boolean;
}

export interface CopyReport {
  readonly sessions: number;
  /** Those that an earlier copy had done. */
  readonly found: number;
  readonly events: number;
}

/**
 * Copies everything, session by session: each one as a whole, and compared by its digest afterwards. May be ended at any time and
 * started again: what is there already is compared, too, and left alone. Nothing of the source is changed.
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
