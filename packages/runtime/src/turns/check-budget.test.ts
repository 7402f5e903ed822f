import { describe, expect, it } from "vitest";
import { type Budgets, checkBudget, type Spent } from "./check-budget.ts";

type Part<T> = { readonly [scope in keyof T]?: Partial<T[scope]> };

function check(budgets: Part<Budgets>, spent: Part<Spent>) {
  const nothing = { tokens: 0, usd: 0 } as const;
  const verdict = checkBudget({
    budgets: { turn: {}, session: {}, day: {}, ...budgets },
    spent: {
      turn: { ...nothing, ...spent.turn },
      session: { ...nothing, ...spent.session },
      day: { ...nothing, ...spent.day },
    },
    nowMs: Date.UTC(2026, 10, 18, 12),
  });
  return verdict.kind === "exceeded" ? { kind: verdict.kind, error: verdict.error.toInfo() } : verdict;
}

describe("checkBudget", () => {
  it("is content when nothing is limited, whatever was spent and whatever is unknown", () => {
    expect(check({}, { day: { tokens: 1e12, usd: "unknown" } })).toEqual({ kind: "ok" });
  });

  it("is content below four fifths", () => {
    expect(check({ turn: { tokens: 1000 } }, { turn: { tokens: 799 } })).toEqual({ kind: "ok" });
  });

  it("warns from four fifths on, and says of which budget", () => {
    expect(check({ session: { usd: 5 } }, { session: { usd: 4 } })).toEqual({
      kind: "warning",
      warnings: [{ scope: "session", unit: "usd", message: "$4.00 of the session's budget of $5.00 are used" }],
    });
  });

  it("stops when a budget is reached", () => {
    expect(check({ turn: { tokens: 1000 } }, { turn: { tokens: 1000 } })).toEqual({
      kind: "exceeded",
      error: {
        code: "budget-exceeded",
        message: "The turn's budget of 1000 tokens is used up (1000 tokens)",
        retryable: false,
        fix: "Raise budgets.turn.tokens.",
      },
    });
  });

  it("names every budget that is used up, and the next day where waiting helps", () => {
    const spent = { session: { tokens: 20 }, day: { usd: 1.5 } };
    expect(check({ session: { tokens: 10 }, day: { usd: 1 } }, spent)).toMatchObject({
      error: {
        message:
          "The session's budget of 10 tokens is used up (20 tokens); The day's budget of $1.00 is used up ($1.50)",
        fix: "Raise budgets.session.tokens and budgets.day.usd, or wait for the next day.",
      },
    });
  });

  it("knows when the same turn may begin where only budgets of the day are used up: at 00:00 UTC", () => {
    const waitOf = (budgets: Part<Budgets>) => {
      const verdict = check(budgets, { session: { tokens: 20 }, day: { usd: 1.5 } });
      return verdict.kind === "exceeded" ? verdict.error.retryAfterSeconds : verdict.kind;
    };
    expect([
      waitOf({ day: { usd: 1 } }),
      waitOf({ session: { tokens: 10 } }),
      waitOf({ session: { tokens: 10 }, day: { usd: 1 } }),
    ]).toEqual([43_200, undefined, undefined]);
  });

  it("allows nothing with a budget of nothing", () => {
    expect(check({ day: { usd: 0 } }, {})).toMatchObject({ kind: "exceeded" });
  });

  it("warns, and never guesses, when the price or the tokens are unknown", () => {
    const spent = { turn: { usd: "unknown" }, day: { tokens: "unknown" } } as const;
    expect(check({ turn: { usd: 1 }, day: { tokens: 10 } }, spent)).toEqual({
      kind: "warning",
      warnings: [
        {
          scope: "turn",
          unit: "usd",
          message: "It is unknown how much of the turn's budget of $1.00 is left: what was used has no known price",
        },
        {
          scope: "day",
          unit: "tokens",
          message: "It is unknown how much of the day's budget of 10 tokens is left: what was used was not reported",
        },
      ],
    });
  });

  it("still stops on tokens when the price is unknown", () => {
    const spent = { day: { tokens: 10, usd: "unknown" } } as const;
    expect(check({ day: { tokens: 10, usd: 1 } }, spent)).toMatchObject({
      kind: "exceeded",
      error: { fix: "Raise budgets.day.tokens, or wait for the next day." },
    });
  });
});
