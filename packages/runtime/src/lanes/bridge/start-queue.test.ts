import { describe, expect, it } from "vitest";
import { createStartQueue } from "./start-queue.ts";

const never = new AbortController().signal;

/** Lets the promise of a freed place resolve. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a queue for those who start", () => {
  it("lets in as many as there are places, and the others in the order in which they came", async () => {
    const queue = createStartQueue(2);
    const inside: number[] = [];
    const leaves: (() => void)[] = [];
    for (const index of [0, 1, 2, 3, 4])
      void queue.enter(never).then((leave) => {
        inside.push(index);
        leaves[index] = leave;
      });
    await settle();
    expect(inside).toEqual([0, 1]);
    leaves[1]?.();
    await settle();
    expect(inside).toEqual([0, 1, 2]);
    leaves[0]?.();
    leaves[2]?.();
    await settle();
    expect(inside).toEqual([0, 1, 2, 3, 4]);
  });

  it("frees a place once, however often it is left", async () => {
    const queue = createStartQueue(1);
    const leave = await queue.enter(never);
    const inside: string[] = [];
    void queue.enter(never).then(() => inside.push("second"));
    void queue.enter(never).then(() => inside.push("third"));
    leave();
    leave();
    await settle();
    expect(inside).toEqual(["second"]);
  });

  it("forgets who no longer wants to start, and lets the next one in", async () => {
    const queue = createStartQueue(1);
    const leave = await queue.enter(never);
    const controller = new AbortController();
    const cancelled = queue.enter(controller.signal);
    const next = queue.enter(never);
    controller.abort(new Error("The turn was cancelled"));
    await expect(cancelled).rejects.toThrow("The turn was cancelled");
    leave();
    expect(await next).toBeTypeOf("function");
    await expect(queue.enter(controller.signal)).rejects.toThrow("The turn was cancelled");
  });
});
