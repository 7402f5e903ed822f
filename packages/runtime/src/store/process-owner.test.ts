import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { identifyOwner, isOwnerAlive } from "./process-owner.ts";

it("knows that this process is alive, and tells it from every other", () => {
  const own = identifyOwner();
  expect([isOwnerAlive(own), identifyOwner(), identifyOwner(process.ppid) === own]).toEqual([true, own, false]);
});

it("knows that a process has died", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const owner = identifyOwner(child.pid);
  expect(isOwnerAlive(owner)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(isOwnerAlive(owner)).toBe(false);
});

const [pid, startTime, bootId] = identifyOwner().split(":");

it.each([
  ["a stranger that has the number now", `${pid}:1:${bootId}`],
  ["a process of another boot", `${pid}:${startTime}:another-boot`],
  ["a word that names no process", "somebody"],
])("does not take %s for the owner", (_, owner) => {
  expect(isOwnerAlive(owner)).toBe(false);
});

it.skipIf(bootId === "")("goes by the number alone when the start time is unknown", () => {
  expect(isOwnerAlive(`${pid}::${bootId}`)).toBe(true);
});
