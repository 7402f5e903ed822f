import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWalSync, type WalSync } from "./wal-sync.ts";

let directory: string;
let wal: WalSync;
/** Each ends the oldest sync still under way. */
let disk: (() => void)[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-wal-"));
  const path = join(directory, "log");
  writeFileSync(`${path}-wal`, "");
  disk = [];
  wal = createWalSync(path, () => new Promise<void>((resolve) => disk.push(resolve)));
});
afterEach(() => {
  wal.forget();
  rmSync(directory, { recursive: true });
});

it("lets a reader go on when what it has read is on disk, however much is committed meanwhile", async () => {
  const first = wal.sync();
  const settled = wal.settled();
  const second = wal.sync();
  disk.shift()?.();
  await settled;
  await first;
  await expect.poll(() => disk.length).toBe(1);
  disk.shift()?.();
  await second;
});

it("keeps a reader waiting for a commit that the running sync may have missed", async () => {
  const done: string[] = [];
  const first = wal.sync();
  const second = wal.sync();
  const settled = wal.settled().then(() => done.push("settled"));
  disk.shift()?.();
  await first;
  await expect.poll(() => disk.length).toBe(1);
  expect(done).toEqual([]);
  disk.shift()?.();
  await Promise.all([second, settled]);
});

it("believes no sync after one that failed: the kernel may have dropped what it could not write", async () => {
  const path = join(directory, "log");
  let fail: (reason: Error) => void = () => undefined;
  let begun = 0;
  const failing = createWalSync(path, () => {
    begun += 1;
    return begun > 1 ? Promise.resolve() : new Promise<void>((_resolve, reject) => (fail = reject));
  });
  const outcomes = Promise.allSettled([failing.sync(), failing.sync(), failing.sync()]);
  fail(new Error("EIO"));
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  failing.forget();
  await failing.sync();
  failing.forget();
});
