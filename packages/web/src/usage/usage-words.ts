import { formatCost, formatTokens, type UsageTotals } from "@caret/protocol";

const whole = new Intl.NumberFormat("en");
const dayName = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

/** A count that nobody reported is said to be unknown. */
export function tokenWord(count: number | undefined): string {
  return count === undefined ? "unknown" : formatTokens(count);
}

export function exactCount(count: number | undefined): string {
  return count === undefined ? "unknown" : whole.format(count);
}

export function turnsWord(turns: number): string {
  return turns === 1 ? "1 turn" : `${whole.format(turns)} turns`;
}

/** Never a zero for a price that nobody named. */
export function costWord({ cost, unpricedTurns, turns }: UsageTotals): string {
  if (turns === 0) return "none";
  if (cost === undefined) return "unknown";
  return unpricedTurns > 0 ? `at least ${formatCost(cost)}` : formatCost(cost);
}

export function costNote({ cost, unpricedTurns, turns }: UsageTotals): string {
  if (turns === 0) return "no turns in this time";
  if (cost === undefined) return "no known price";
  return unpricedTurns > 0 ? `no price for ${turnsWord(unpricedTurns)}` : "at Cursor's list prices";
}

export function dayWord(day: string): string {
  return dayName.format(new Date(`${day}T00:00:00Z`));
}

/** Round values from 0 up to or just over `max`, at most five of them, for an axis that people can read. */
export function axisTicks(max: number): readonly number[] {
  if (max <= 0) return [0, 1];
  const rough = max / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  const count = Math.ceil(max / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
