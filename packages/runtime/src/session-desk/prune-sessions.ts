import { CaretError } from "@caret/protocol";
import type { EventStore, PruneRule } from "../engine/event-store.ts";

export interface PruneSessionsOptions {
  readonly store: EventStore;
  /** Each is a limit of its own. */
  readonly rules: readonly PruneRule[];
  /** Deletes one session, unless it was updated at this time or later. Says whether it did. */
  readonly remove: (sessionId: string, updatedBefore: number) => Promise<boolean>;
  /** The store's clock: milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

/**
 * Delete old sessions, one after the other, so that nobody who writes meanwhile waits for more than one of them. One whose
 * turn runs stays, and so does one that is used while others are deleted. Gives the ids of those that are gone.
 */
export async function pruneSessions({
  store,
  rules,
  remove,
  now,
  signal,
}: PruneSessionsOptions): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const rule of rules) {
    const before = now() - rule.olderThanMs;
    for (const id of await store.prunable(rule)) {
      if (signal?.aborted === true) return gone;
      if (await removeIfFree(() => remove(id, before))) gone.push(id);
    }
  }
  return gone;
}

async function removeIfFree(remove: () => Promise<boolean>): Promise<boolean> {
  try {
    return await remove();
  } catch (reason) {
    // Its next turn began meanwhile: it is not old any more.
    if (CaretError.is(reason) && reason.code === "session-busy") return false;
    throw reason;
  }
}
