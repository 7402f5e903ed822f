import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutcomeClass, ToolCall } from "../../calls/tool-call.ts";
import { createLoopDetector, type LoopDetector } from "./loop-detector.ts";

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

/** Makes the call unless refused; returns the guard's strongest reaction. */
function attempt(guard: LoopDetector, call: ToolCall, ending: { class: OutcomeClass; output: string }): string {
  const before = guard.before(call).kind;
  return before === "proceed" ? guard.after(call, ending).kind : before;
}

describe("the loop guard", () => {
  it("never minds calls of which no two are alike, except refusals of a schema", () => {
    const step = fc.tuple(
      fc.constantFrom("read", "bash"),
      outcomeClass.filter((name) => name !== "validation"),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const guard = createLoopDetector();
        const said = steps.map(([name, ending], index) =>
          attempt(guard, { name, input: { index } }, { class: ending, output: "same" }),
        );
        expect(said.filter((kind) => kind !== "proceed")).toEqual([]);
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
        const guard = createLoopDetector();
        const said = steps.map(([name, ending], index) =>
          attempt(guard, { name, input: {} }, { class: ending, output: String(index) }),
        );
        expect(said.filter((kind) => kind !== "proceed")).toEqual([]);
      }),
    );
  });

  it("ends any turn that goes round up to four calls with the same results, in one order, within the stated counts", () => {
    const endings = fc.array(outcomeClass, { minLength: 1, maxLength: 4 });
    const order = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(endings, order, (classesOfCalls, picks) => {
        const guard = createLoopDetector();
        // Thirty rounds of four until the warning, as many until the refusal, and as many again until the end.
        const said = Array.from({ length: 3 * 31 * 4 }, (_, index) => {
          const pick = (picks[index % picks.length] ?? 0) % classesOfCalls.length;
          const ending = { class: classesOfCalls[pick] ?? "unknown", output: "same" };
          return attempt(guard, { name: String(pick), input: {} }, ending);
        });
        expect(said).toContain("end");
        const [warned, blocked, ended] = ["warn", "block", "end"].map((kind) => said.indexOf(kind));
        expect([warned, blocked, ended]).toEqual(
          [warned, blocked, ended].toSorted((one, other) => Number(one) - Number(other)),
        );
      }),
    );
  });

  it("never minds a call that always has another call before it, unless they are few in turn", () => {
    fc.assert(
      fc.property(
        fc.array(
          outcomeClass.filter((name) => name !== "validation"),
          { maxLength: 60 },
        ),
        (steps) => {
          const guard = createLoopDetector();
          const said = steps.flatMap((ending, index) => [
            attempt(guard, { name: "status", input: {} }, { class: ending, output: "same" }),
            attempt(guard, { name: "other", input: { index } }, { class: ending, output: "same" }),
          ]);
          expect(said.filter((kind) => kind !== "proceed")).toEqual([]);
        },
      ),
    );
  });
});
