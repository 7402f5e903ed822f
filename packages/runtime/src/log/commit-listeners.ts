import type { CommitListener, SessionWatcher, StoredEvent } from "./event-store.ts";

export interface CommitListeners {
  add(sessionId: string, listener: CommitListener): () => void;
  /** Whether the session has listeners. */
  has(sessionId: string): boolean;
  watch(watcher: SessionWatcher): () => void;
  /** Notifies the session's listeners of the events, and the watchers of the session. */
  publish(sessionId: string, committed: readonly StoredEvent[]): void;
  /** Notifies the watchers. */
  touch(sessionId: string): void;
}

export function createCommitListeners(onListenerError: (error: unknown) => void): CommitListeners {
  const bySession = new Map<string, Set<CommitListener>>();
  const watchers = new Set<SessionWatcher>();

  function notify<Value>(listeners: ReadonlySet<(value: Value) => void>, value: Value): void {
    for (const listener of [...listeners]) {
      try {
        listener(value);
      } catch (error) {
        // The events are durable already: a listener's error must not make the write look failed.
        onListenerError(error);
      }
    }
  }

  return {
    add(sessionId, listener) {
      // A wrapper, so one listener added twice is two subscriptions.
      const own: CommitListener = (committed) => listener(committed);
      const listeners = bySession.get(sessionId) ?? new Set();
      bySession.set(sessionId, listeners.add(own));
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && bySession.get(sessionId) === listeners) bySession.delete(sessionId);
      };
    },

    has: (sessionId) => bySession.has(sessionId),

    watch(watcher) {
      const own: SessionWatcher = (sessionId) => watcher(sessionId);
      watchers.add(own);
      return () => watchers.delete(own);
    },

    publish(sessionId, committed) {
      if (committed.length === 0) return;
      const listeners = bySession.get(sessionId);
      if (listeners !== undefined) notify(listeners, committed);
      notify(watchers, sessionId);
    },

    touch: (sessionId) => notify(watchers, sessionId),
  };
}
