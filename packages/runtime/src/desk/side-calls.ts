import type { EventStore } from "../engine/event-store.ts";
import type { Verdict } from "../lineage/classify-transcript.ts";
import type { LineageStore } from "../lineage/lineage-store.ts";
import type { ScratchPlaces } from "./scratch-places.ts";
import type { SharedTurn } from "./shared-turn.ts";

export interface SideCallsOptions {
  readonly store: EventStore;
  readonly lineage: LineageStore;
  readonly scratch: ScratchPlaces;
  readonly joinMs: number;
  readonly now: () => number;
}

/** Sessions of titles and summaries. Nobody will look for them again, so they go once they can no longer be joined. */
export interface SideCalls {
  add(turn: SharedTurn, place: string): void;
  /** Removes those that are over for long enough. */
  tidy(): Promise<void>;
  /** Ends and removes all. */
  close(): Promise<void>;
}

export function createSideCalls({ store, lineage, scratch, joinMs, now }: SideCallsOptions): SideCalls {
  const kept = new Map<SharedTurn, string>();
  const remove = async (shared: SharedTurn, place: string): Promise<void> => {
    kept.delete(shared);
    const { sessionId, settled } = shared.turn;
    await settled;
    lineage.forget(sessionId);
    await store.deleteSession(sessionId);
    scratch.remove(place);
  };
  return {
    add: (shared, place) => void kept.set(shared, place),
    async tidy() {
      const due = [...kept].filter(([{ endedAt }]) => endedAt !== undefined && now() - endedAt > joinMs);
      await Promise.all(due.map(([shared, place]) => remove(shared, place)));
    },
    async close() {
      for (const shared of kept.keys()) shared.cancel("Caret is shutting down");
      await Promise.all([...kept].map(([shared, place]) => remove(shared, place)));
    },
  };
}

/** A title or a summary, which is no part of a conversation. */
export function isChore(verdict: Verdict): boolean {
  return verdict.relation === "side-call" && verdict.ephemeral;
}
