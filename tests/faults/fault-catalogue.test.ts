import { describe, expect, test } from "vitest";
import { exitFaults } from "./exit-faults.ts";
import { outputFaults } from "./output-faults.ts";
import { startFaults } from "./start-faults.ts";
import { uncoveredFaults } from "./uncovered-faults.ts";

const faults = [...startFaults, ...outputFaults, ...exitFaults];

describe("The fault catalogue", () => {
  test("has a row for every fault of its two tables, or says why not", () => {
    const known = new Set([...faults.map(({ id }) => id), ...Object.keys(uncoveredFaults)]);
    const wanted = [...numbered("P", 17), ...numbered("O", 53)];
    expect(wanted.filter((id) => !known.has(id))).toEqual([]);
    expect([...known].filter((id) => !wanted.includes(id))).toEqual([]);
  });

  test("excuses no fault that it plays", () => {
    expect(faults.filter(({ id }) => Object.hasOwn(uncoveredFaults, id))).toEqual([]);
  });
});

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}-${String(index + 1).padStart(2, "0")}`);
}
