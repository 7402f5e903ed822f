import type { KeptResponse, Recollection } from "../item-store.ts";

/** Responses remembered: the last one, which a client goes on from, and a few earlier ones in case it goes back. */
const MAX_RESPONSES = 4;

/**
 * A connection's memory of responses made over it, stored or not: a client that sends only what is new can go on from them while the
 * connection is open.
 */
export interface SocketMemory {
  /** `past`: what it continued, oldest first. */
  remember(past: readonly KeptResponse[], response: KeptResponse): void;
  forget(id: string | undefined): void;
  /** Looks here before the store. */
  before(items: Recollection["items"]): Recollection["items"];
}

export function createSocketMemory(): SocketMemory {
  /** Each with all it continued, oldest first; in the order in which they were made. */
  const chains = new Map<string, readonly KeptResponse[]>();
  return {
    remember(past, response) {
      chains.set(response.id, [...past, response]);
      const [oldest = ""] = chains.keys();
      if (chains.size > MAX_RESPONSES) chains.delete(oldest);
    },
    forget(id = "") {
      chains.delete(id);
    },
    before: (items) => ({
      findItem(owner, itemId) {
        for (const chain of [...chains.values()].reverse())
          for (const { output } of chain.toReversed()) {
            const item = output.find(({ id }) => id === itemId);
            if (item !== undefined) return item;
          }
        return items.findItem(owner, itemId);
      },
      findChain: (owner, id) => chains.get(id) ?? items.findChain(owner, id),
    }),
  };
}
