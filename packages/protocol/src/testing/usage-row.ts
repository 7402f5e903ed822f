import type { UsageRow } from "../api/session-view.ts";

/** A usage row with defaults for all members not given. */
export function usageRow(given: Partial<UsageRow>): UsageRow {
  return {
    day: "2026-11-15",
    model: "auto",
    sessionId: "s1",
    turns: 1,
    unpricedTurns: given.usage?.cost === undefined ? (given.turns ?? 1) : 0,
    usage: {},
    ...given,
  };
}
