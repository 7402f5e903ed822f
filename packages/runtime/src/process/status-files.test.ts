import { spawnSync } from "node:child_process";
import { readdirSync, readlinkSync, writeSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type StatusFile, StatusFiles } from "./status-files.ts";
import { createWorkbench, type Workbench } from "./testing/workbench.ts";

let bench: Workbench;
let files: StatusFiles;

beforeEach(() => {
  bench = createWorkbench();
  files = new StatusFiles(bench.directory);
});
afterEach(() => {
  files.close();
  bench.remove();
});

function taken(): StatusFile {
  const file = files.take();
  if (file === undefined) throw new Error("No file could be made");
  return file;
}

/** A process that reports in several writes, as bubblewrap does. */
function report(file: StatusFile, ...words: readonly string[]): void {
  const script = words.map((word) => `printf %s '${word}' >&3`).join("; ");
  spawnSync("/bin/sh", ["-c", script], { stdio: ["ignore", "ignore", "ignore", file.descriptor] });
  file.handedOn();
}

const textOf = (file: StatusFile): string => file.text().replaceAll("\0", "");
/** Only these files: other tests of this process open and close theirs at the same time. */
const openDescriptors = (): number => readdirSync("/proc/self/fd").filter(isOfBench).length;

function isOfBench(descriptor: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(bench.directory);
  } catch {
    return false; // the directory that was listed, or another's that is closed by now
  }
}

it("holds what its process reported, and nothing of the process before", () => {
  const before = taken();
  report(before, "a report ", "of many words");
  const texts = [textOf(before)];
  before.release();
  const after = taken();
  texts.push(textOf(after));
  report(after, "a few");
  texts.push(textOf(after), textOf(before));
  after.release();
  expect(texts).toEqual(["a report of many words", "", "a few", ""]);
});

it("is one process's alone while that runs, and has no name", () => {
  const both = [taken(), taken()] as const;
  report(both[0], "one");
  report(both[1], "two");
  expect({ texts: both.map(textOf), names: readdirSync(bench.directory) }).toEqual({
    texts: ["one", "two"],
    names: [],
  });
  for (const file of both) file.release();
});

it("is closed after a burst, but for a few", () => {
  const before = openDescriptors();
  const burst = Array.from({ length: 40 }, taken);
  for (const file of burst) file.handedOn();
  const most = openDescriptors() - before;
  for (const file of burst) {
    file.release();
    file.release(); // a second time it is another's already
  }
  expect({ most, left: openDescriptors() - before }).toEqual({ most: 40, left: 2 });
});

it("is missing where none can be made", () => {
  expect(new StatusFiles(bench.path("nowhere")).take()).toBeUndefined();
});

it("has its room from the start: a report is no longer than that", () => {
  const file = taken();
  writeSync(file.descriptor, "x".repeat(1024));
  expect(file.text()).toBe("x".repeat(1024));
  file.handedOn();
  file.release();
});
