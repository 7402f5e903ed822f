import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { interruptAfter } from "./interrupt-after.ts";

const forAnHour = 3_600_000;
const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forAnHour);

it("repeats a run that got no processor time, even while another thread of the process is busy", async () => {
  const busy = new Worker("for (;;) {}", { eval: true });
  try {
    await new Promise((resolve) => busy.once("online", resolve));
    let runs = 0;
    const result = interruptAfter(30, () => {
      runs += 1;
      if (runs <= 3) wait();
      return "checked";
    });
    expect({ result, runs }).toEqual({ result: "checked", runs: 4 });
  } finally {
    await busy.terminate();
  }
});

it("gives up on a run that never gets processor time", () => {
  expect(() => interruptAfter(5, wait)).toThrow(expect.objectContaining({ code: "ERR_SCRIPT_EXECUTION_TIMEOUT" }));
});

it("does not repeat a run that had its time", () => {
  let runs = 0;
  const run = () => {
    runs += 1;
    return /^(?:a|a)*$/.test(`${"a".repeat(100)}!`);
  };
  // A busy machine may take the time of one attempt, but not of ten in a row.
  expect(() => interruptAfter(30, run)).toThrow(expect.objectContaining({ code: "ERR_SCRIPT_EXECUTION_TIMEOUT" }));
  expect(runs).toBeLessThan(10);
});
