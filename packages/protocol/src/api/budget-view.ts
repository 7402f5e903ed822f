import type { ErrorInfo } from "../errors/error-info.ts";

/** `user` and `team`: what one of them uses in a day, however many sessions and gateways. */
export const budgetScopes = ["turn", "session", "day", "user", "team"] as const;
export type BudgetScope = (typeof budgetScopes)[number];
/** `turns` are counted for users and teams: those whose usage nobody knows, too. */
export const budgetUnits = ["tokens", "usd", "turns"] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/** One limit, and how much of it is used. */
export interface BudgetLine {
  readonly scope: BudgetScope;
  readonly unit: BudgetUnit;
  readonly limit: number;
  /** `unknown` where a part was not reported or has no known price; absent for what has not begun yet. */
  readonly used?: number | "unknown";
}

/** How the budgets stand before the next turn. */
export interface BudgetView {
  /** Every limit that is set. */
  readonly lines: readonly BudgetLine[];
  /** Why the next turn would be refused; absent: it would not be. */
  readonly refusal?: Pick<ErrorInfo, "message" | "fix">;
  /** What is nearly used up, or cannot be known. */
  readonly warnings: readonly string[];
}
