import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withFileLock } from "./with-file-lock.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-lock-"));
  file = join(directory, "file");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true });
});

it("runs one piece of work after the other, also when each of them waits for something", async () => {
  const steps: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    steps.push(`${name} begins`);
    await Promise.resolve();
    steps.push(`${name} ends`);
  };
  await Promise.all([withFileLock(file, work("a")), withFileLock(file, work("b"))]);
  expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

it("releases the lock when the work fails", async () => {
  await expect(withFileLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect([await withFileLock(file, () => "done"), existsSync(`${file}.lock`)]).toEqual(["done", false]);
});

it("takes over a lock that its process has not renewed for ten seconds", async () => {
  writeFileSync(`${file}.lock`, "1");
  const old = new Date(Date.now() - 11_000);
  utimesSync(`${file}.lock`, old, old);
  expect(await withFileLock(file, () => "done")).toBe("done");
});

it("leaves the lock alone that another process took over while this one was suspended", async () => {
  await withFileLock(file, () => writeFileSync(`${file}.lock`, "another process"));
  expect([readFileSync(`${file}.lock`, "utf8"), readdirSync(directory)]).toEqual(["another process", ["file.lock"]]);
});

it("does not take over the lock of work that lasts longer, because it is renewed", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  const ended = Promise.withResolvers<void>();
  const first = withFileLock(file, () => ended.promise);
  vi.advanceTimersByTime(30_000);
  const second = withFileLock(file, () => "second", { patienceMs: -1 });
  await expect(second).rejects.toMatchObject({ code: "storage-failed", message: `${file} is locked` });
  expect(existsSync(`${file}.lock`)).toBe(true);
  ended.resolve();
  await first;
});
