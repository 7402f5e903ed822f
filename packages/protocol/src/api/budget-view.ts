import type { ErrorInfo } from "../errors/error-info.ts";

/** `user` and `team`: their consumption per day, across all sessions and gateways. */
export const budgetScopes = ["turn", "session", "day", "user", "team"] as const;
export type BudgetScope = (typeof budgetScopes)[number];
/** `turns` are counted for users and teams, including turns of unknown usage. */
export const budgetUnits = ["tokens", "usd", "turns"] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/** One limit and how much of it is used. */
export interface BudgetLine {
  readonly scope: BudgetScope;
  readonly unit: BudgetUnit;
  readonly limit: number;
  /** `unknown` if a part was not reported or has no known price; absent for a scope that has not started yet. */
  readonly used?: number | "unknown";
}

/** State of the budgets before the next turn. */
export interface BudgetView {
  /** Every limit in force. */
  readonly lines: readonly BudgetLine[];
  /** Why the next turn would be refused; absent if it would be allowed. */
  readonly refusal?: Pick<ErrorInfo, "message" | "fix">;
  /** Limits that are nearly used up, or whose usage is unknown. */
  readonly warnings: readonly string[];
}
