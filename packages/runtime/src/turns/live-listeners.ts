import type { LiveEvent, LiveListener } from "../log/follow.ts";

/** Those who follow a turn while its log is still being written. */
export function createLiveListeners() {
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
    add(listener: LiveListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** In order: what may be told at once waits for what may not, and came before. What fails to be durable is told nobody. */
    tell(written: readonly LiveEvent[], durable: Promise<unknown> | undefined): void {
      if (written.length === 0) return;
      const notify = (): void => {
        for (const { onWritten } of listeners) onWritten(written);
      };
      if (durable === undefined && telling === undefined) notify();
      else tellLater(notify, durable);
    },
    noteDurable(): void {
      for (const { onDurable } of listeners) onDurable();
    },
  };
}
