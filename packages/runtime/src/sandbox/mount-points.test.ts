import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openMountPoints } from "./mount-points.ts";

let root: string;
let receipts: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mount-points-"));
  receipts = join(root, "receipts");
  path = join(root, ".cursor");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const aDirectory = { kind: "directory" } as const;

it("makes what is missing and removes exactly that", async () => {
  const points = openMountPoints(receipts);
  const release = await points.hold(path, aDirectory, "one");
  const during = existsSync(path);
  await release();
  expect([during, existsSync(path), readdirSync(receipts)]).toEqual([true, false, []]);
});

it("leaves alone what was the user's before, and what became the user's meanwhile", async () => {
  const points = openMountPoints(receipts);
  mkdirSync(path);
  await (await points.hold(path, aDirectory, "one"))();
  const other = join(root, "other");
  const release = await points.hold(other, aDirectory, "two");
  writeFileSync(join(other, "mine"), "");
  await release();
  const file = join(root, "file");
  const releaseFile = await points.hold(file, { kind: "file", content: ".\n" }, "three");
  writeFileSync(file, "mine");
  await releaseFile();
  expect([existsSync(path), readdirSync(other), existsSync(file)]).toEqual([true, ["mine"], true]);
});

it("keeps it until the last of several turns in the same workspace has ended", async () => {
  const [one, two] = [openMountPoints(receipts), openMountPoints(receipts)];
  const first = await one.hold(path, aDirectory, "one");
  const second = await two.hold(path, aDirectory, "two");
  await first();
  const between = existsSync(path);
  await second();
  expect([between, existsSync(path)]).toEqual([true, false]);
});

it("removes at the next start what a Caret that was killed has left, and not what a living one holds", async () => {
  const held = join(root, "held");
  const points = openMountPoints(receipts);
  const release = await points.hold(held, aDirectory, "mine");
  const script = `import { openMountPoints } from ${JSON.stringify(new URL("./mount-points.ts", import.meta.url).href)};
    await openMountPoints(${JSON.stringify(receipts)}).hold(${JSON.stringify(path)}, { kind: "directory" }, "dead");
    process.kill(process.pid, "SIGKILL");`;
  spawnSync(process.execPath, ["--input-type=module", "-e", script]);
  const left = existsSync(path);
  await points.sweep();
  expect([left, existsSync(path), existsSync(held)]).toEqual([true, false, true]);
  await release();
});
