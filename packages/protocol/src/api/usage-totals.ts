import { formatCost, formatTokens } from "../usage/usage-words.ts";
import type { UsageRow } from "./session-view.ts";

/** Segments of a bar, bottom to top. Reasoning is part of what upstream calls output. */
export const tokenKinds = ["output", "input", "cacheWrite", "cacheRead"] as const;
export type TokenKind = (typeof tokenKinds)[number];

export const tokenWords: Readonly<Record<TokenKind, string>> = {
  output: "Output",
  input: "Input",
  cacheWrite: "Cache written",
  cacheRead: "Cache read",
};

/**
 * Sum of several rows. A count is absent (unknown, not zero) if no row has one. `unpricedTurns` counts the turns that the cost leaves out.
 */
export interface UsageTotals {
  readonly turns: number;
  /** Turns in rows without any token count. */
  readonly uncountedTurns: number;
  readonly unpricedTurns: number;
  readonly tokens: Readonly<Partial<Record<TokenKind, number>>>;
  readonly cost?: number;
}

export interface UsageGroup {
  readonly key: string;
  readonly totals: UsageTotals;
}

export function totalUsage(rows: readonly UsageRow[]): UsageTotals {
  const tokens = tokenKinds.map((kind) => [kind, sumKnown(rows.map(({ usage }) => usage[kind]))] as const);
  const cost = sumKnown(rows.map(({ usage }) => usage.cost));
  return {
    turns: countTurns(rows),
    uncountedTurns: countTurns(rows.filter(({ usage }) => tokenKinds.every((kind) => usage[kind] === undefined))),
    unpricedTurns: rows.reduce((sum, row) => sum + row.unpricedTurns, 0),
    tokens: Object.fromEntries(tokens.filter(([, count]) => count !== undefined)),
    ...(cost !== undefined && { cost }),
  };
}

function sumKnown(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

function countTurns(rows: readonly UsageRow[]): number {
  return rows.reduce((sum, { turns }) => sum + turns, 0);
}

/** Sorted by tokens, descending; groups of unknown size by number of turns. */
export function groupUsage(rows: readonly UsageRow[], keyOf: (row: UsageRow) => string): readonly UsageGroup[] {
  const groups = Map.groupBy(rows, keyOf);
  return [...groups]
    .map(([key, members]) => ({ key, totals: totalUsage(members) }))
    .sort((a, b) => allTokens(b.totals) - allTokens(a.totals) || b.totals.turns - a.totals.turns);
}

/** Every day of the range, including days without turns, oldest first. Days are in UTC, as in the gateway. */
export function usageByDay(rows: readonly UsageRow[], days: number, now: number): readonly UsageGroup[] {
  const byDay = Map.groupBy(rows, (row) => row.day);
  return lastDays(days, now).map((day) => ({ key: day, totals: totalUsage(byDay.get(day) ?? []) }));
}

export function allTokens({ tokens }: UsageTotals, kinds: readonly TokenKind[] = tokenKinds): number {
  return kinds.reduce((sum, kind) => sum + (tokens[kind] ?? 0), 0);
}

/** Share of input tokens that came from the cache, 0 to 1. */
export function cacheShare({ tokens }: UsageTotals): number | undefined {
  if (tokens.cacheRead === undefined) return undefined;
  const prompt = (tokens.input ?? 0) + tokens.cacheRead + (tokens.cacheWrite ?? 0);
  return prompt === 0 ? undefined : tokens.cacheRead / prompt;
}

const UNKNOWN = "–";

/** Text of a table cell; a dash stands for a count that no turn reported. */
export function tokenCell(count: number | undefined): string {
  return count === undefined ? UNKNOWN : formatTokens(count);
}

export function costCell({ cost, unpricedTurns }: UsageTotals): string {
  if (cost === undefined) return UNKNOWN;
  return unpricedTurns > 0 ? `≥${formatCost(cost)}` : formatCost(cost);
}

const DAY_MS = 86_400_000;

function lastDays(days: number, now: number): readonly string[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: days }, (_, index) =>
    new Date((today - days + 1 + index) * DAY_MS).toISOString().slice(0, 10),
  );
}
