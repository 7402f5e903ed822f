import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { createLeaseStanding } from "./lease-standing.ts";

async function isOver(promise: Promise<void>): Promise<boolean> {
  return await Promise.race([promise.then(() => true), setImmediate(false)]);
}

it("a wait for the lapse is over with it, at once while it lasts, and waits for the next one after a renewal", async () => {
  const standing = createLeaseStanding();
  const early = standing.lapsed();
  const seen = [await isOver(early)];
  standing.lapse();
  seen.push(await isOver(early), await isOver(standing.lapsed()));
  standing.renewed();
  const next = standing.lapsed();
  seen.push(await isOver(next));
  standing.lapse();
  seen.push(await isOver(next));
  expect(seen).toEqual([false, true, true, false, true]);
});
