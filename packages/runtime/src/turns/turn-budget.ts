import { type AgentEvent, type BudgetView, CaretError, costOf, promptTokens, type Usage } from "@caret/protocol";
import { createKeyedLock } from "../async/keyed-lock.ts";
import type { Lane } from "../lanes/lane.ts";
import type { EventStore, UsageTotal } from "../log/event-store.ts";
import { toUsageDay } from "../log/session-record.ts";
import {
  type Budgets,
  type BudgetVerdict,
  checkBudget,
  listLimits,
  type QuotaScope,
  quotaScopes,
  type Spent,
  type SpentBudgets,
  type SpentSum,
} from "./check-budget.ts";
import type { RunningTurn } from "./session-engine.ts";

type Sum = SpentSum;

/** The user and team of a turn. */
export interface Whose {
  readonly user?: string | undefined;
  readonly team?: string | undefined;
}

/** A turn of the same user may have ended by then; the same delay as for any `overloaded`. */
const AT_ONCE_SECONDS = 1;

const nothing: Sum = { tokens: 0, usd: 0 };

/** Checks what the session and the day have used against the budgets, before a turn may begin. */
export async function budgetBefore(
  store: EventStore,
  budgets: Budgets,
  { sessionId, nowMs, ...whose }: Whose & { readonly sessionId: string | undefined; readonly nowMs: number },
): Promise<{ readonly verdict: BudgetVerdict; readonly spent: Spent }> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  // Summing gets slower with every turn, so skip it for unlimited scopes.
  const isCounted = sessionId !== undefined && isLimited(budgets.session);
  const session = isCounted ? sumOf(await store.usageTotals({ sessionId })) : nothing;
  const today = isLimited(budgets.day) ? sumOf(await store.usageTotals({ day })) : nothing;
  const spent: Spent = { turn: nothing, session, day: today, ...(await spentByAll(store, budgets, day, whose)) };
  return { verdict: checkBudget({ budgets, spent, nowMs }), spent };
}

/** Today's usage of the user and the team, where limited. */
async function spentByAll(store: EventStore, budgets: Budgets, day: string, whose: Whose): Promise<Partial<Spent>> {
  const spent: Partial<Record<QuotaScope, Sum>> = {};
  for (const scope of quotaScopes) {
    const name = whose[scope];
    if (name === undefined || !isLimited(budgets[scope] ?? {})) continue;
    const sum = sumOf(await store.usageTotals({ day, [scope]: name }));
    spent[scope] = { ...sum, turns: (await store.countTurns({ day, [scope]: name })).begun };
  }
  return spent;
}

/**
 * Rejects with `budget-exceeded` if the user or team has used up its day, and with `overloaded` if it runs its maximum of concurrent
 * turns. Called before a turn begins: a refused turn is not logged.
 */
export async function assertQuota(
  store: EventStore,
  { user = {}, team = {} }: Budgets,
  { nowMs, ...whose }: Whose & { readonly nowMs: number },
): Promise<void> {
  const budgets: Budgets = { turn: {}, session: {}, day: {}, user, team };
  const { verdict } = await budgetBefore(store, budgets, { ...whose, sessionId: undefined, nowMs });
  if (verdict.kind === "exceeded") throw verdict.error;
  for (const scope of quotaScopes) {
    const [name, atOnce] = [whose[scope], { user, team }[scope].atOnce];
    if (name === undefined || atOnce === undefined) continue;
    const { running } = await store.countTurns({ day: toUsageDay(nowMs), [scope]: name });
    if (running >= atOnce) throw tooMany(scope, name, running);
  }
}

function tooMany(scope: QuotaScope, name: string, running: number): CaretError {
  const turns = running === 1 ? "1 turn" : `${running} turns`;
  const message = `The ${scope} ${name} has ${turns} running, and may have no more at once`;
  return new CaretError("overloaded", message, {
    fix: `Wait until one has ended, or raise budgets.${scope}.atOnce.`,
    retryAfterSeconds: AT_ONCE_SECONDS,
  });
}

/**
 * Starts a turn unless its user's or team's quota is used up; then rejects like `assertQuota`. Turns are counted in the log, so turns of
 * one user or team are admitted one after the other, each once the previous is logged: two at once would both see the last free place.
 * Turns without a quota do not wait.
 */
type QuotaGate = (whose: Whose, start: () => Promise<RunningTurn>) => Promise<RunningTurn>;

interface QuotaGateOptions {
  readonly store: EventStore;
  readonly budgets: () => Budgets;
  readonly wallClock: () => number;
}

export function createQuotaGate({ store, budgets, wallClock }: QuotaGateOptions): QuotaGate {
  const lock = createKeyedLock();
  /** The user's lock always before the team's, to avoid deadlock. */
  const alone = ([first, ...rest]: readonly string[], work: () => Promise<void>): Promise<void> =>
    first === undefined ? work() : lock.run(first, () => alone(rest, work));

  return (whose, start) => {
    const limits = budgets();
    const limited = quotaScopes.filter((scope) => whose[scope] !== undefined && isLimited(limits[scope] ?? {}));
    if (limited.length === 0) return start();
    const { promise, resolve, reject } = Promise.withResolvers<RunningTurn>();
    const admit = async (): Promise<void> => {
      try {
        await assertQuota(store, limits, { ...whoseOf(whose), nowMs: wallClock() });
        const turn = await start();
        resolve(turn);
        await turn.begun.catch(() => undefined); // its caller gets the same error
      } catch (reason) {
        reject(reason);
      }
    };
    void alone(
      limited.map((scope) => `${scope} ${whose[scope]}`),
      admit,
    );
    return promise;
  };
}

/** The state of the budgets before the next turn of this session, or of a new one. */
export async function budgetView(
  store: EventStore,
  budgets: Budgets,
  { sessionId, nowMs, ...whose }: Whose & { readonly sessionId?: string | undefined; readonly nowMs: number },
): Promise<BudgetView> {
  const { verdict, spent } = await budgetBefore(store, budgets, { sessionId, nowMs, ...whose });
  const hasBegun = { turn: false, session: sessionId !== undefined, day: true, user: true, team: true };
  return {
    lines: listLimits(budgets, spent).map(({ used, ...line }) => (hasBegun[line.scope] ? { ...line, used } : line)),
    ...(verdict.kind === "exceeded" && { refusal: { message: verdict.error.message, fix: verdict.error.fix } }),
    warnings: verdict.kind === "warning" ? verdict.warnings.map(({ message }) => message) : [],
  };
}

/** What a turn may still consume. */
export interface TurnBudget {
  /** Warnings to emit at the turn's start. */
  readonly warnings: readonly AgentEvent[];
  /** The error if a running turn exceeds a budget, judged by the usage it reports before its end. */
  overrunIn(entries: readonly { readonly event: AgentEvent }[]): CaretError | undefined;
}

const unlimited: TurnBudget = { warnings: [], overrunIn: () => undefined };

/** Rejects if a budget is already used up. */
export async function openTurnBudget(
  store: EventStore,
  budgets: Budgets,
  { model, now, ...asked }: Whose & { readonly sessionId: string; readonly now: () => number; readonly model: string },
): Promise<TurnBudget> {
  if (!Object.values(budgets).some(isLimited)) return unlimited;
  const before = await budgetBefore(store, budgets, { ...asked, nowMs: now() });
  // The count of begun turns already includes this one.
  const spent = withoutOne(before.spent);
  const verdict = checkBudget({ budgets, spent, nowMs: now() });
  if (verdict.kind === "exceeded") throw verdict.error;
  return {
    warnings: toWarnings(verdict),
    overrunIn(entries) {
      let usage: Usage | undefined;
      for (const { event } of entries) if (event.type === "usage") usage = event.usage;
      // After its end, there is nothing to stop.
      if (usage === undefined || entries.at(-1)?.event.type === "turn-end") return undefined;
      const during = budgetDuring({ budgets, spent, nowMs: now() }, usage, model);
      return during.kind === "exceeded" ? during.error : undefined;
    },
  };
}

/** Warns that this lane cannot enforce a configured limit. */
export function unmeteredNotice(
  { name, features }: Pick<Lane, "name" | "features">,
  budgets: Budgets,
): readonly AgentEvent[] {
  if (features.includes("usage") || !Object.values(budgets).some(isMetered)) return [];
  const message = `The ${name} lane reports no usage: no budget can stop this turn, or count it`;
  return [{ type: "notice", kind: "budget-warning", message }];
}

/** Limited by reported usage; turns can be counted without it. */
function isMetered({
  tokens,
  usd,
}: {
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
}): boolean {
  return tokens !== undefined || usd !== undefined;
}

function withoutOne({ user, team, ...spent }: Spent): Spent {
  const less = (sum: Sum): Sum => ({ ...sum, turns: Math.max(0, (sum.turns ?? 0) - 1) });
  return {
    ...spent,
    ...(user === undefined ? {} : { user: less(user) }),
    ...(team === undefined ? {} : { team: less(team) }),
  };
}

function isLimited(budget: Readonly<Record<string, unknown>> | object): boolean {
  return Object.values(budget).some((limit) => limit !== undefined);
}

/** Adds what the running turn has reported. */
export function budgetDuring(
  { budgets, spent: before, nowMs }: SpentBudgets,
  usage: Usage,
  model: string,
): BudgetVerdict {
  const turn = toSum(priced(usage, model));
  const spent: Spent = {
    turn,
    session: add(before.session, turn),
    day: add(before.day, turn),
    ...(before.user === undefined ? {} : { user: add(before.user, turn) }),
    ...(before.team === undefined ? {} : { team: add(before.team, turn) }),
  };
  return checkBudget({ budgets, spent, nowMs });
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

/** A partial sum would mislead. */
function add(a: Sum, b: Sum): Sum {
  const turns = (a.turns ?? 0) + (b.turns ?? 0);
  return { tokens: plus(a.tokens, b.tokens), usd: plus(a.usd, b.usd), ...(turns === 0 ? {} : { turns }) };
}

function plus(a: number | "unknown", b: number | "unknown"): number | "unknown" {
  return a === "unknown" || b === "unknown" ? "unknown" : a + b;
}

export function whoseOf({ user, team }: Whose): Whose {
  return { ...(user === undefined ? {} : { user }), ...(team === undefined ? {} : { team }) };
}
