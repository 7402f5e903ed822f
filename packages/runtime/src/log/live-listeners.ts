import type { StoredEvent } from "./event-store.ts";

export interface LiveListener {
  /** Events in order, without their raw lines: those written behind before they are durable, others as soon as they are. */
  onWritten(events: readonly StoredEvent[]): void;
  /** Something is in the log that was not. */
  onDurable(): void;
}

/** Those who follow a turn while its log is still being written. */
export interface LiveListeners {
  /** Returns the function that ends it. */
  add(listener: LiveListener): () => void;
  /** In order: what may be told at once waits for what may not, and came before. What fails to be durable is told nobody. */
  tell(written: readonly StoredEvent[], durable: Promise<unknown> | undefined): void;
  noteDurable(): void;
}

export function createLiveListeners(): LiveListeners {
  const listeners = new Set<LiveListener>();
  let telling: Promise<unknown> | undefined;

  const tellLater = (notify: () => void, durable: Promise<unknown> | undefined): void => {
    const told = Promise.all([telling, durable]).then(notify, () => undefined);
    telling = told;
    void told.then(() => {
      if (telling === told) telling = undefined;
    });
  };

  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(written, durable) {
      const notify = (): void => {
        for (const { onWritten } of listeners) onWritten(written);
      };
      if (durable === undefined && telling === undefined) notify();
      else tellLater(notify, durable);
    },
    noteDurable() {
      for (const { onDurable } of listeners) onDurable();
    },
  };
}
