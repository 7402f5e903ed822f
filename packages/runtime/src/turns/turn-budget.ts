import { type AgentEvent, costOf, promptTokens, type Usage } from "@caret/protocol";
import type { EventStore, UsageTotal } from "../log/event-store.ts";
import { type Budgets, type BudgetVerdict, checkBudget, type Spent } from "./check-budget.ts";

type Sum = Spent["turn"];

const nothing: Sum = { tokens: 0, usd: 0 };

/** What the session and the day have used so far, held against the budgets before a turn may begin. */
export async function budgetBefore(
  store: EventStore,
  budgets: Budgets,
  { sessionId, nowMs }: { readonly sessionId: string; readonly nowMs: number },
): Promise<{ readonly verdict: BudgetVerdict; readonly spent: Spent }> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  // Adding up takes the longer the more turns there were: it is not done for what nobody limits.
  const session = isLimited(budgets.session) ? sumOf(await store.usageTotals({ sessionId })) : nothing;
  const today = isLimited(budgets.day) ? sumOf(await store.usageTotals({ day })) : nothing;
  const spent: Spent = { turn: nothing, session, day: today };
  return { verdict: checkBudget({ budgets, spent }), spent };
}

function isLimited(budget: Budgets[keyof Budgets]): boolean {
  return Object.values(budget).some((limit) => limit !== undefined);
}

/** The same with what the running turn has reported. */
export function budgetDuring(budgets: Budgets, before: Spent, usage: Usage, model: string): BudgetVerdict {
  const turn = toSum(priced(usage, model));
  const spent: Spent = { turn, session: add(before.session, turn), day: add(before.day, turn) };
  return checkBudget({ budgets, spent });
}

export function toWarnings(verdict: BudgetVerdict): readonly AgentEvent[] {
  if (verdict.kind !== "warning") return [];
  return verdict.warnings.map(({ message }) => ({ type: "notice", kind: "budget-warning", message }));
}

function sumOf(totals: readonly UsageTotal[]): Sum {
  return totals.map(toSum).reduce(add, nothing);
}

function toSum({ usage, unpricedTurns }: Pick<UsageTotal, "usage" | "unpricedTurns">): Sum {
  const usd = unpricedTurns > 0 ? undefined : usage.cost;
  return { tokens: promptTokens(usage) + (usage.output ?? 0), usd: usd ?? "unknown" };
}

function priced(usage: Usage, model: string): Pick<UsageTotal, "usage" | "unpricedTurns"> {
  const cost = costOf(usage, model);
  return cost === undefined ? { usage, unpricedTurns: 1 } : { usage: { ...usage, cost }, unpricedTurns: 0 };
}

/** A sum with a hole is not a sum. */
function add(a: Sum, b: Sum): Sum {
  return { tokens: plus(a.tokens, b.tokens), usd: plus(a.usd, b.usd) };
}

function plus(a: number | "unknown", b: number | "unknown"): number | "unknown" {
  return a === "unknown" || b === "unknown" ? "unknown" : a + b;
}
