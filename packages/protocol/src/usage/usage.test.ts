import { describe, expect, it } from "vitest";
import { usageSchema } from "./usage.ts";
import { promptTokens } from "./usage-words.ts";

describe("usage", () => {
  it("that was not reported stays unknown, and is never a zero we made up", () => {
    expect(usageSchema.parse({ output: 4 })).toEqual({ output: 4 });
    expect(usageSchema.parse({})).toEqual({});
  });

  it("may be zero when upstream says so", () => {
    expect(usageSchema.parse({ input: 0, cost: 0 })).toEqual({ input: 0, cost: 0 });
  });

  it.each([{ input: 1.5 }, { output: -1 }, { cacheRead: "3" }, { cost: -0.1 }, { reasoning: null }])(
    "cannot be %j",
    (usage) => {
      expect(usageSchema.safeParse(usage).success).toBe(false);
    },
  );

  it("counts everything that went in as prompt tokens, cached or not", () => {
    expect(promptTokens({ input: 1, cacheRead: 20, cacheWrite: 300, output: 4000, reasoning: 50_000 })).toBe(321);
    expect(promptTokens({ cacheRead: 20 })).toBe(20);
    expect(promptTokens({})).toBe(0);
  });
});
