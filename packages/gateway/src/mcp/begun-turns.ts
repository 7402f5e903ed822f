const MOST_KEPT = 10_000;

/** The turns that MCP hosts began here. Other turns ask a person where they were begun. */
export interface BegunTurns {
  add(turnId: string): void;
  has(turnId: string): boolean;
}

/** Keeps the newest; requests of older turns are decided on the page. */
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
