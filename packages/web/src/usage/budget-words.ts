import { type BudgetLine, type BudgetScope, type BudgetUnit, type BudgetView, formatCost } from "@caret/protocol";
import { exactCount } from "./usage-words.ts";

export const scopeWords: Readonly<Record<BudgetScope, string>> = {
  turn: "A turn",
  session: "A session",
  day: "Today",
  user: "You, today",
  team: "Your team, today",
};

function amountWord(value: number, unit: BudgetUnit): string {
  return unit === "usd" ? formatCost(value) : `${exactCount(value)} ${unit}`;
}

/** `$1.20 of $5.00 used, $3.80 left`. What is not known is said to be unknown. */
export function budgetWords({ limit, used, unit }: BudgetLine): string {
  const most = amountWord(limit, unit);
  if (used === undefined) return `at most ${most}`;
  if (used === "unknown") return `unknown how much of ${most} is used`;
  if (used >= limit) return `all of ${most} used (${amountWord(used, unit)})`;
  return `${amountWord(used, unit)} of ${most} used, ${amountWord(limit - used, unit)} left`;
}

export type TypedBudgets = Readonly<Record<string, string>>;

/** The key of each budget's setting. */
export const budgetKeys = (["day", "session", "turn"] as const).flatMap((scope) =>
  (["tokens", "usd"] as const).map((unit) => ({ key: `budgets.${scope}.${unit}`, scope, unit })),
);

/** The limits as a form shows them; empty: none. */
export function budgetTexts({ lines }: BudgetView): TypedBudgets {
  const limits = new Map(lines.map(({ scope, unit, limit }) => [`budgets.${scope}.${unit}`, String(limit)]));
  return Object.fromEntries(budgetKeys.map(({ key }) => [key, limits.get(key) ?? ""]));
}

/** What is to be written: new limits, and `null` for those that were emptied. Undefined: something is no number. */
export function budgetChanges(before: TypedBudgets, typed: TypedBudgets): Record<string, number | null> | undefined {
  const changed = budgetKeys.map(({ key }) => key).filter((key) => (typed[key] ?? "").trim() !== before[key]);
  const values = changed.map((key) => [key, (typed[key] ?? "").trim()] as const);
  if (values.some(([, text]) => !/^(?:\d+(?:\.\d+)?)?$/.test(text))) return undefined;
  return Object.fromEntries(values.map(([key, text]) => [key, text === "" ? null : Number(text)]));
}
