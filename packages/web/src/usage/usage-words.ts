import type { UsageTotals } from "./usage-totals.ts";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en");
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const smallDollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 2 });
const dayName = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

const UNKNOWN = "–";

/** `1.2M`; a count that nobody reported is said to be unknown. */
export function tokenWord(count: number | undefined): string {
  return count === undefined ? "unknown" : compact.format(count);
}

export function exactCount(count: number | undefined): string {
  return count === undefined ? "unknown" : whole.format(count);
}

export function turnsWord(turns: number): string {
  return turns === 1 ? "1 turn" : `${whole.format(turns)} turns`;
}

/** In a table's cell; what a dash means is said below the table. */
export function tokenCell(count: number | undefined): string {
  return count === undefined ? UNKNOWN : compact.format(count);
}

export function costCell({ cost, unpricedTurns }: UsageTotals): string {
  if (cost === undefined) return UNKNOWN;
  return unpricedTurns > 0 ? `≥${moneyWord(cost)}` : moneyWord(cost);
}

/** Never a zero for a price that nobody named. */
export function costWord({ cost, unpricedTurns, turns }: UsageTotals): string {
  if (turns === 0) return "none";
  if (cost === undefined) return "unknown";
  return unpricedTurns > 0 ? `at least ${moneyWord(cost)}` : moneyWord(cost);
}

export function costNote({ cost, unpricedTurns, turns }: UsageTotals): string {
  if (turns === 0) return "no turns in this time";
  if (cost === undefined) return "Cursor named no price";
  return unpricedTurns > 0 ? `no price for ${turnsWord(unpricedTurns)}` : "as Cursor priced it";
}

export function dayWord(day: string): string {
  return dayName.format(new Date(`${day}T00:00:00Z`));
}

function moneyWord(cost: number): string {
  return cost > 0 && cost < 0.01 ? smallDollars.format(cost) : dollars.format(cost);
}
