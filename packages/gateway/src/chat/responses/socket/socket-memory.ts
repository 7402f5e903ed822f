import type { KeptResponse, Recollection } from "../item-store.ts";

/** A client goes on from its last response. Some earlier ones are there as well, for one that goes back. */
const MAX_RESPONSES = 4;

/**
 * What a connection remembers of the responses that were made over it, also of those that are not stored: a client that sends
 * only what is new goes on from them, for as long as the connection is open.
 */
export interface SocketMemory {
  /** `past`: what it continued, oldest first. */
  remember(past: readonly KeptResponse[], response: KeptResponse): void;
  forget(id: string | undefined): void;
  /** Looks here before it looks in the store. */
  before(items: Recollection["items"]): Recollection["items"];
}

export function createSocketMemory(): SocketMemory {
  /** Each with all that it continued, oldest first; in the order in which they were made. */
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
