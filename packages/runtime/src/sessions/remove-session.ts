import { CaretError } from "@caret/protocol";
import type { AnswerArchive } from "../answers/answer-archive.ts";
import type { ConversationStore } from "../lanes/api/conversation-store.ts";
import type { DeleteOptions, EventStore, PruneRule } from "../log/event-store.ts";
import type { SandboxDirectories } from "../sandbox/sandbox-directories.ts";
import { freeSession } from "../turns/free-session.ts";
import type { Attachments } from "./open-attachments.ts";
import type { ScratchDirectories } from "./scratch-directories.ts";
import type { SessionWorktrees } from "./session-worktrees.ts";

/** Where there is anything of a session. */
export interface SessionBelongings {
  readonly store: EventStore;
  readonly scratch: ScratchDirectories;
  /** Only prompts of the native door have images. */
  readonly attachments?: Attachments | undefined;
  readonly answers?: Pick<AnswerArchive, "removeSession"> | undefined;
  /** What is kept for its sandboxes. */
  readonly sandboxes?: Pick<SandboxDirectories, "remove"> | undefined;
  /** Worktrees that sessions were begun in. */
  readonly worktrees?: Pick<SessionWorktrees, "find" | "removeIfMerged"> | undefined;
  /** What the upstream of the API lane keeps with us. */
  readonly upstreamState?: Pick<ConversationStore, "remove"> | undefined;
  /** Which transcripts it has answered. */
  readonly lineage?: { forget(sessionId: string): Promise<void> } | undefined;
}

/**
 * Delete a session and all that is only its own: its events, the images of its prompts, the answers that clients may
 * refer to, the digests of transcripts that it answered, what the API lane's upstream keeps with us, what is kept for its sandboxes, its scratch directories, its worktree unless that holds work which was not merged. The only way to do it, for the gateway, for side calls and for commands beside them.
 * Rejects with `session-busy` while any process runs a turn of it; a turn whose process died is ended first. Resolves to
 * whether a session was deleted.
 */
export async function removeSession(
  { store, scratch, attachments, answers, sandboxes, upstreamState, lineage, worktrees }: SessionBelongings,
  sessionId: string,
  options: DeleteOptions = {},
): Promise<boolean> {
  const session = await store.getSession(sessionId);
  if (session === undefined) return false;
  await freeSession(store, session);
  const worktree = worktrees?.find(sessionId);
  if (!(await store.deleteSession(sessionId, options))) return false;
  await attachments?.removeSession(sessionId);
  await answers?.removeSession(sessionId);
  await lineage?.forget(sessionId);
  sandboxes?.remove(sessionId);
  for (const { lane, sessionId: id } of session.upstream) if (lane === "api") await upstreamState?.remove(id);
  scratch.removeBeside(sessionId);
  if (worktree === undefined && !scratch.holds(session.workspace)) return true;
  // A fork works in the same directory.
  const [other] = await store.sessionIds({ workspace: session.workspace });
  if (other !== undefined) return true;
  if (worktree === undefined) scratch.remove(session.workspace);
  else await worktrees?.removeIfMerged(worktree);
  return true;
}

interface PruneSessionsOptions {
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
 * Delete old sessions, one after the other, so that a concurrent writer waits for at most one of them. One whose
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
