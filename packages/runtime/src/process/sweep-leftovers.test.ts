import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { identifyProcess, isAlive, type ProcessIdentity, readBootId } from "./process-identity.ts";
import { openProcessRegistry } from "./process-registry.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";
import { createWorkbench, pidOf, type Workbench } from "./testing/workbench.ts";

/** A Caret that is long gone: no process of this boot has that start time. */
const deadKeeper = { pid: 1, startTime: "1" };

let bench: Workbench;
let directory: string;
let bystander: ChildProcess;
let identity: ProcessIdentity;

beforeEach(async () => {
  bench = createWorkbench();
  directory = bench.path("processes");
  bystander = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  await eventually(() => bystander.pid !== undefined, "it runs");
  identity = identifyProcess(pidOf(bystander));
});
afterEach(() => {
  bystander.kill("SIGKILL");
  bench.remove();
});

const write = (entry: object): void => {
  openProcessRegistry(directory);
  writeFileSync(
    `${directory}/m.json`,
    JSON.stringify({ mark: "m", bootId: readBootId(), keeper: deadKeeper, ...entry }),
  );
};

/** As if it had been written a minute ago. */
const age = (path: string): void => utimesSync(path, Date.now() / 1_000 - 60, Date.now() / 1_000 - 60);

describe("sweeping at start-up", () => {
  it("kills the very process that an earlier Caret wrote down", async () => {
    openProcessRegistry(directory, deadKeeper).add("mark", identity);
    expect(sweepLeftovers(directory)).toEqual({ entries: 1, killed: 1 });
    await eventually(() => !isAlive(identity), "it is gone");
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each([
    ["has the number but another start time", () => ({ process: { ...identity, startTime: "12345" } })],
    ["was written down before the last boot", () => ({ process: identity, bootId: "another-boot" })],
    ["has a number that is not one", () => ({ process: { ...identity, pid: -1 } })],
  ])("never touches a stranger that %s", (_, entry) => {
    write(entry());
    age(`${directory}/m.json`);
    expect(sweepLeftovers(directory)).toEqual({ entries: 1, killed: 0 });
    expect({ isAlive: isAlive(identity), entries: readdirSync(directory) }).toEqual({ isAlive: true, entries: [] });
  });

  it("leaves the children of a Caret that still lives alone", () => {
    openProcessRegistry(directory).add("mark", identity);
    expect(sweepLeftovers(directory)).toEqual({ entries: 0, killed: 0 });
    expect({ isAlive: isAlive(identity), entries: readdirSync(directory) }).toEqual({
      isAlive: true,
      entries: ["mark.json"],
    });
  });

  it("leaves what was started in another PID namespace to those who can see it", () => {
    write({ process: identity, pidNamespace: "pid:[1]" });
    expect(sweepLeftovers(directory)).toEqual({ entries: 0, killed: 0 });
    expect({ isAlive: isAlive(identity), entries: readdirSync(directory) }).toEqual({
      isAlive: true,
      entries: ["m.json"],
    });
  });

  it("clears away an entry that was only half written, once nobody can be writing it any more", () => {
    openProcessRegistry(directory);
    writeFileSync(`${directory}/half.json`, '{"mark": "m", "pro');
    expect(sweepLeftovers(directory)).toEqual({ entries: 0, killed: 0 });
    age(`${directory}/half.json`);
    expect(sweepLeftovers(directory)).toEqual({ entries: 1, killed: 0 });
  });

  it("finds nothing where nothing was ever started", () => {
    expect({ swept: sweepLeftovers(directory), isDirectoryThere: existsSync(directory) }).toEqual({
      swept: { entries: 0, killed: 0 },
      isDirectoryThere: false,
    });
  });
});

describe("the registry", () => {
  it("keeps its files to this user, whatever the umask", () => {
    const before = process.umask(0);
    openProcessRegistry(directory).add("mark", identity);
    process.umask(before);
    expect([statSync(directory).mode & 0o777, statSync(`${directory}/mark.json`).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("forgets a process on request", () => {
    const registry = openProcessRegistry(directory);
    registry.add("mark", identity);
    registry.remove("mark");
    expect(readdirSync(directory)).toEqual([]);
  });
});
