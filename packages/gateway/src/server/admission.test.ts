import { expect, it } from "vitest";
import { createAdmission } from "./admission.ts";

it("keeps to the places there are, and gives one back only once", () => {
  const admission = createAdmission({ maxTurns: 2, maxTurnsPerToken: 2 });
  const leave = admission.enter("a");
  admission.enter("b");
  expect(() => admission.enter("c")).toThrow("All places for turns are taken.");
  leave();
  leave();
  const afterwards = admission.running;
  admission.enter("c");
  expect([afterwards, admission.running]).toEqual([1, 2]);
});

it("keeps one token from taking all places", () => {
  const admission = createAdmission({ maxTurns: 9, maxTurnsPerToken: 1 });
  const leave = admission.enter("a");
  expect(() => admission.enter("a")).toThrow("This token has too many turns at once.");
  admission.enter("b");
  leave();
  admission.enter("a");
  expect(admission.running).toBe(2);
});
