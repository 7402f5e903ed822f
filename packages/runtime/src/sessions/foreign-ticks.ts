import { CaretError } from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";

export interface ForeignTicks {
  /**
   * Calls the listener each time another process has written to the log, or to that of this session where it is known which one it
   * was. It is given the session where only that one was written to. Returns the function that ends it.
   */
  add(listener: (sessionId?: string) => void, sessionId?: string): () => void;
}

export interface ForeignTicksOptions {
  readonly store: EventStore;
  readonly pollMs: number;
  readonly onError: (error: CaretError) => void;
}

/** Polls, while there are listeners, whether another process has written to the log. */
export function createForeignTicks({ store, pollMs, onError }: ForeignTicksOptions): ForeignTicks {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let seen: number | undefined;

  const look = async (): Promise<void> => {
    try {
      const version = await store.foreignVersion();
      const hasChanged = seen !== undefined && seen !== version;
      seen = version;
      if (hasChanged) for (const listener of [...listeners]) listener();
    } catch (reason) {
      // The next poll may succeed; until then followers see this process only. No listener is left when the log closes.
      if (listeners.size > 0) onError(CaretError.from(reason));
    }
  };

  const start = (): void => {
    void look();
    timer = setInterval(() => void look(), pollMs);
    timer.unref();
  };

  return {
    add(listener) {
      const own = (): void => listener();
      listeners.add(own);
      if (timer === undefined) start();
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
        seen = undefined;
      };
    },
  };
}
