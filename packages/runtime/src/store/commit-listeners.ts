import type { CommitListener, StoredEvent } from "../engine/event-store.ts";

export interface CommitListeners {
  add(sessionId: string, listener: CommitListener): () => void;
  publish(sessionId: string, committed: readonly StoredEvent[]): void;
}

export function createCommitListeners(onListenerError: (error: unknown) => void): CommitListeners {
  const bySession = new Map<string, Set<CommitListener>>();

  return {
    add(sessionId, listener) {
      // A function of its own, so that one listener added twice is two subscriptions.
      const own: CommitListener = (committed) => listener(committed);
      const listeners = bySession.get(sessionId) ?? new Set();
      bySession.set(sessionId, listeners.add(own));
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && bySession.get(sessionId) === listeners) bySession.delete(sessionId);
      };
    },

    publish(sessionId, committed) {
      if (committed.length === 0) return;
      for (const listener of [...(bySession.get(sessionId) ?? [])]) {
        try {
          listener(committed);
        } catch (error) {
          // The events are durable already: a listener's fault must not make the append look failed.
          onListenerError(error);
        }
      }
    },
  };
}
