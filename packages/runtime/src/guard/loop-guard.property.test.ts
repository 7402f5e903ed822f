import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutcomeClass } from "../tools/tool.ts";
import { createLoopGuard, type GuardedCall, type LoopGuard } from "./loop-guard.ts";

const classes: readonly OutcomeClass[] = [
  "success",
  "validation",
  "not_found",
  "permission",
  "timeout",
  "tool_error",
  "unknown",
];
const outcomeClass = fc.constantFrom(...classes);

/** Makes the call unless it is refused; tells the strongest thing the guard said. */
function attempt(guard: LoopGuard, call: GuardedCall, ending: { class: OutcomeClass; output: string }): string {
  const before = guard.before(call).kind;
  return before === "go-on" ? guard.after(call, ending).kind : before;
}

describe("the loop guard", () => {
  it("never minds calls of which no two are alike, except refusals of a schema", () => {
    const step = fc.tuple(
      fc.constantFrom("read", "bash"),
      outcomeClass.filter((name) => name !== "validation"),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const guard = createLoopGuard();
        const said = steps.map(([tool, ending], index) =>
          attempt(guard, { tool, input: { index } }, { class: ending, output: "same" }),
        );
        expect(said.filter((kind) => kind !== "go-on")).toEqual([]);
      }),
    );
  });

  it("never minds a call whose result is another each time, whatever runs between", () => {
    const step = fc.tuple(
      fc.constantFrom("a", "b", "c"),
      outcomeClass.filter((name) => name !== "validation"),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const guard = createLoopGuard();
        const said = steps.map(([tool, ending], index) =>
          attempt(guard, { tool, input: {} }, { class: ending, output: String(index) }),
        );
        expect(said.filter((kind) => kind !== "go-on")).toEqual([]);
      }),
    );
  });

  it("ends any turn that goes round the same calls with the same results, in any order, within the stated counts", () => {
    const endings = fc.array(outcomeClass, { minLength: 1, maxLength: 5 });
    const order = fc.array(fc.nat(), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(endings, order, (classesOfCalls, picks) => {
        const guard = createLoopGuard();
        // Each call is made at most 8 times. Its first success may start the counts anew, once for each call.
        const most = 8 * classesOfCalls.length * (classesOfCalls.length + 1);
        const pick = (index: number) => (picks[index % picks.length] ?? 0) % classesOfCalls.length;
        const said = Array.from({ length: most * picks.length }, (_, index) => {
          const tool = String(pick(index));
          return attempt(
            guard,
            { tool, input: {} },
            { class: classesOfCalls[pick(index)] ?? "unknown", output: "same" },
          );
        });
        expect(said).toContain("end");
        const [warned, blocked, ended] = ["warn", "block", "end"].map((kind) => said.indexOf(kind));
        expect([warned, blocked, ended]).toEqual(
          [warned, blocked, ended].toSorted((one, other) => Number(one) - Number(other)),
        );
      }),
      { numRuns: 50 },
    );
  });
});
