import { type Caller, CaretError, type Comparisons } from "@caret/protocol";

/** Tracks which gateways follow this worker's comparisons: an attended one is dropped when its last client leaves. */
export interface ComparisonHolds {
  readonly hold: (id: string, follower: string, gateway: string, caller: Caller) => Promise<void>;
  readonly letGo: (follower: string) => Promise<void>;
  /** Ends the holds of all other gateways: they are gone, and their clients with them. */
  keepOnly(gateways: readonly string[]): void;
}

export function createComparisonHolds(comparisons: Comparisons, onError: (error: CaretError) => void): ComparisonHolds {
  const held = new Map<string, { readonly gateway: string; readonly end: AbortController }>();
  const follow = async (id: string, signal: AbortSignal, caller: Caller): Promise<void> => {
    const views = comparisons.follow(id, signal, caller)[Symbol.asyncIterator]();
    // Discard the views: the gateway reads them from the database, and following is all this is for.
    for (let next = await views.next(); next.done !== true; next = await views.next());
  };
  return {
    async hold(id, follower, gateway, caller) {
      await comparisons.get(id, caller);
      const end = new AbortController();
      held.set(follower, { gateway, end });
      void follow(id, end.signal, caller)
        .catch((reason: unknown) => onError(CaretError.from(reason)))
        .finally(() => held.delete(follower));
    },
    async letGo(follower) {
      held.get(follower)?.end.abort();
    },
    keepOnly(gateways) {
      for (const { gateway, end } of held.values()) if (!gateways.includes(gateway)) end.abort();
    },
  };
}
