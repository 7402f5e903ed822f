import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { identifyProcess, readBootId } from "../process/process-identity.ts";
import { isOldOwnerAlive } from "./process-owner.ts";

const bootId = readBootId() ?? "";
const wordOf = (pid: number): string => [pid, identifyProcess(pid).startTime ?? "", bootId].join(":");
const [pid, startTime] = wordOf(process.pid).split(":");

it("knows that a process of an older Caret is alive, and that it has died", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const owner = wordOf(Number(child.pid));
  expect(isOldOwnerAlive(owner)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(isOldOwnerAlive(owner)).toBe(false);
});

it.each([
  ["a stranger that has the number now", `${pid}:1:${bootId}`],
  ["a process of another boot", `${pid}:${startTime}:another-boot`],
  ["a word that names no process", "somebody"],
])("does not take %s for the owner", (_, owner) => {
  expect(isOldOwnerAlive(owner)).toBe(false);
});

it.skipIf(bootId === "")("goes by the number alone when the start time is unknown", () => {
  expect(isOldOwnerAlive(`${pid}::${bootId}`)).toBe(true);
});
