import { CaretError } from "@caret/protocol";
import type { AnswerArchive } from "../answers/answer-archive.ts";
import { removeSession, type SessionBelongings } from "../sessions/remove-session.ts";
import type { ScratchDirectories } from "../sessions/scratch-directories.ts";
import type { SessionEngine } from "../turns/session-engine.ts";
import type { TranscriptKey } from "./matching/classify-transcript.ts";
import type { LineageStore } from "./matching/lineage-store.ts";
import type { SharedTurn } from "./shared-turn.ts";

export interface SideCallsOptions {
  readonly engine: Pick<SessionEngine, "store" | "holdSession">;
  readonly lineage: LineageStore;
  readonly scratch: ScratchDirectories;
  readonly answers?: Pick<AnswerArchive, "removeSession"> | undefined;
  readonly attachments?: SessionBelongings["attachments"] | undefined;
  readonly upstreamState?: SessionBelongings["upstreamState"];
  readonly sandboxes?: SessionBelongings["sandboxes"];
  readonly joinMs: number;
  readonly now: () => number;
}

/**
 * Sessions of titles and summaries. Their logs are deleted once their answers can no longer be shared; that of a possible conversation
 * never is.
 */
export interface SideCalls {
  /** Records a first turn, if it is a side call's. */
  add(turn: SharedTurn, key: TranscriptKey): void;
  /** The session got a second question: keep it. */
  keep(sessionId: string): void;
  /** Number of sessions that may be removed one day. */
  readonly size: number;
  /** Removes those that have been over for long enough. */
  tidy(): Promise<void>;
  /** Ends and removes all of them. */
  close(): Promise<void>;
}

interface Removable {
  readonly shared: SharedTurn;
  readonly key: TranscriptKey;
}

export function createSideCalls(options: SideCallsOptions): SideCalls {
  const { engine, lineage, scratch, joinMs, now } = options;
  const removable = new Map<string, Removable>();
  const remove = async ({ shared, key }: Removable): Promise<void> => {
    const { sessionId, settled } = shared.turn;
    removable.delete(sessionId);
    await settled;
    // Only a conversation records its scope: without a record, this may have been the conversation itself.
    if (key.aside === "when-apart" && !(await isKnown(lineage, key.scope))) return;
    // Its second question may have been asked on another machine.
    if ((await engine.store.getSession(sessionId))?.lastTurn?.turnId !== shared.turn.turnId) return;
    try {
      await engine.holdSession(sessionId, async () => {
        // First, so the next request does not find a session that is being deleted.
        await lineage.forget(sessionId);
        const { answers, attachments, upstreamState, sandboxes } = options;
        const belongings = { store: engine.store, scratch, answers, attachments, upstreamState, sandboxes };
        await removeSession(belongings, sessionId);
      });
    } catch (reason) {
      // Its second question arrived just now, so it stays.
      if (CaretError.from(reason).code !== "session-busy") throw reason;
    }
  };
  return {
    add(shared, key) {
      if (key.aside === undefined || key.aside === "never") return;
      removable.set(shared.turn.sessionId, { shared, key });
    },
    keep: (sessionId) => void removable.delete(sessionId),
    get size() {
      return removable.size;
    },
    async tidy() {
      const due = [...removable.values()].filter(
        ({ shared: { endedAt } }) => endedAt !== undefined && now() - endedAt > joinMs,
      );
      await Promise.all(due.map(remove));
    },
    async close() {
      const all = [...removable.values()];
      for (const { shared } of all) shared.cancel("Caret is shutting down");
      await Promise.all(all.map(remove));
    },
  };
}

async function isKnown(lineage: LineageStore, scope: string): Promise<boolean> {
  return (await lineage.look({ scope, scopes: [scope], chains: () => [] })).getScope(scope) !== undefined;
}
