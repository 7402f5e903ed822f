const MOST_KEPT = 10_000;

/** The turns that MCP hosts have begun here. Of others a person is asked where they were begun. */
export interface BegunTurns {
  add(turnId: string): void;
  has(turnId: string): boolean;
}

/** Keeps the newest: an older one is decided on the page. */
export function createBegunTurns(): BegunTurns {
  const kept = new Set<string>();
  return {
    add(turnId) {
      kept.add(turnId);
      for (const oldest of kept) {
        if (kept.size <= MOST_KEPT) return;
        kept.delete(oldest);
      }
    },
    has: (turnId) => kept.has(turnId),
  };
}
