import type { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { createBackgroundWork } from "./background-work.ts";

it("is done again and again, one after the other, until it is closed", async () => {
  const background = createBackgroundWork(() => undefined);
  const third = Promise.withResolvers<void>();
  let times = 0;
  let atOnce = 0;
  let mostAtOnce = 0;
  background.every(1, async () => {
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    times += 1;
    if (times === 3) third.resolve();
  });
  await third.promise;
  await background.close();
  const done = times;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect({ mostAtOnce, timesAfterClose: times - done }).toEqual({ mostAtOnce: 1, timesAfterClose: 0 });
});

it("reports what went wrong, and is silent about what closing made fail", async () => {
  const errors: string[] = [];
  const background = createBackgroundWork(({ message }: CaretError) => errors.push(message));
  background.run(() => Promise.reject(new Error("broken")));
  background.run(async (signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw new Error("The event store is closed");
  });
  await new Promise(setImmediate);
  await background.close();
  background.run(() => Promise.reject(new Error("too late")));
  await new Promise(setImmediate);
  expect(errors).toHaveLength(1);
});
