import {
  type AgentBudget,
  type BudgetScope,
  type BudgetUnit,
  budgetScopes,
  budgetUnits,
  CaretError,
} from "@caret/protocol";

const WARNING_SHARE = 0.8;
const DAY_MS = 86_400_000;

/** An omitted unit has no limit. */
type Limits = { readonly [unit in Exclude<BudgetUnit, "turns">]?: number | undefined };

/** What each user, or each team, may use per day. */
export interface Quota extends Limits {
  readonly turns?: number | undefined;
  /** Concurrent turns. */
  readonly atOnce?: number | undefined;
}

/** The limits per scope. */
export interface Budgets extends Readonly<Record<Exclude<BudgetScope, QuotaScope>, Limits>> {
  readonly user?: Quota;
  readonly team?: Quota;
}

export const quotaScopes = ["user", "team"] as const;
export type QuotaScope = (typeof quotaScopes)[number];

/** Combines the settings with the session's own limits; the smaller one wins. */
export function withSessionBudget(budgets: Budgets, own: AgentBudget = {}): Budgets {
  return { ...budgets, turn: smaller(budgets.turn, own.turn), session: smaller(budgets.session, own.session) };
}

function smaller(a: Limits, b: Limits = {}): Limits {
  const limits = (["tokens", "usd"] as const).flatMap((unit) => {
    const both = [a[unit], b[unit]].filter((limit) => limit !== undefined);
    return both.length === 0 ? [] : [[unit, Math.min(...both)] as const];
  });
  return Object.fromEntries(limits);
}

/** Usage per scope. `unknown` if upstream omitted any part of it or the price of any part is unknown: a partial sum would mislead. */
export interface Spent extends Readonly<Record<Exclude<BudgetScope, QuotaScope>, SpentSum>> {
  readonly user?: SpentSum;
  readonly team?: SpentSum;
}

export interface SpentSum {
  readonly tokens: number | "unknown";
  readonly usd: number | "unknown";
  readonly turns?: number;
}

export interface BudgetWarning {
  readonly scope: BudgetScope;
  readonly unit: BudgetUnit;
  readonly message: string;
}

export type BudgetVerdict =
  | { readonly kind: "ok" }
  | { readonly kind: "warning"; readonly warnings: readonly BudgetWarning[] }
  | { readonly kind: "exceeded"; readonly error: CaretError };

interface Line {
  readonly scope: BudgetScope;
  readonly unit: BudgetUnit;
  readonly limit: number;
  readonly used: number | "unknown";
}

export interface SpentBudgets {
  readonly budgets: Budgets;
  readonly spent: Spent;
  /** Determines when the day ends. */
  readonly nowMs: number;
}

/** Checks usage against the budgets. A budget counts as used up once it is reached, not only when it is exceeded. */
export function checkBudget({ budgets, spent, nowMs }: SpentBudgets): BudgetVerdict {
  const lines = listLimits(budgets, spent);
  const exceeded = lines.filter(({ used, limit }) => used !== "unknown" && used >= limit);
  if (exceeded.length > 0) return { kind: "exceeded", error: exceededError(exceeded, nowMs) };
  const warnings = lines
    .filter(({ used, limit }) => used === "unknown" || used >= limit * WARNING_SHARE)
    .map((line) => ({ scope: line.scope, unit: line.unit, message: warningText(line) }));
  return warnings.length === 0 ? { kind: "ok" } : { kind: "warning", warnings };
}

/** Lists every configured limit with its usage. User and team limits apply only to turns that have a user or a team. */
export function listLimits(budgets: Budgets, spent: Spent): readonly Line[] {
  return budgetScopes.flatMap((scope) => {
    const sum = spent[scope];
    const limits: { readonly [unit in BudgetUnit]?: number | undefined } = budgets[scope] ?? {};
    return budgetUnits.flatMap((unit) => {
      const limit = limits[unit];
      return limit === undefined || sum === undefined ? [] : [{ scope, unit, limit, used: sum[unit] ?? 0 }];
    });
  });
}

function exceededError(lines: readonly Line[], nowMs: number): CaretError {
  const names = lines.map(({ scope, unit }) => `budgets.${scope}.${unit}`);
  const wait = lines.some(({ scope }) => isOfDay.has(scope)) ? ", or wait for the next day" : "";
  // A session or turn limit does not reset at midnight, so waiting would not help.
  const passes = lines.every(({ scope }) => isOfDay.has(scope));
  return new CaretError("budget-exceeded", lines.map(usedUpText).join("; "), {
    fix: `Raise ${names.join(" and ")}${wait}.`,
    ...(passes ? { retryAfterSeconds: secondsLeftOfDay(nowMs) } : {}),
  });
}

/** Until 00:00 UTC, when the daily counts reset. */
function secondsLeftOfDay(nowMs: number): number {
  return Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000);
}

const isOfDay: ReadonlySet<BudgetScope> = new Set(["day", "user", "team"]);

function usedUpText(line: Line): string {
  return `The ${line.scope}'s budget of ${amount(line.limit, line.unit)} is used up (${usedText(line)})`;
}

function warningText(line: Line): string {
  const budget = `the ${line.scope}'s budget of ${amount(line.limit, line.unit)}`;
  if (line.used !== "unknown") return `${usedText(line)} of ${budget} are used`;
  const missing = line.unit === "usd" ? "what was used has no known price" : "what was used was not reported";
  return `It is unknown how much of ${budget} is left: ${missing}`;
}

function usedText({ used, unit }: Line): string {
  return used === "unknown" ? used : amount(used, unit);
}

function amount(value: number, unit: BudgetUnit): string {
  return unit === "usd" ? `$${value.toFixed(2)}` : `${value} ${unit}`;
}
