import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addBackupCommand } from "./backup.ts";
import { addInstallCommand } from "./install.ts";
import { type Tried, tryCommand } from "./testing/try-command.ts";
import { addUninstallCommand } from "./uninstall.ts";

let root: string;
let dataDir: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-backup-")));
  dataDir = join(root, "data");
  mkdirSync(dataDir);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (place: string) => ({ cwd: root, env: { CARET_DATA_DIR: place, CARET_LANE: "sim" }, stdin: "" });

function backup(...argv: readonly string[]): Promise<Tried> {
  return tryCommand(addBackupCommand, ["backup", ...argv], at(dataDir));
}

it("copies a database that is being written as it was at its last commit, and nothing that belongs to processes", async () => {
  const database = new DatabaseSync(join(dataDir, "caret.db"));
  database.exec("pragma journal_mode = wal; create table event (seq integer); insert into event values (1), (2)");
  database.exec("begin; insert into event values (3)");
  mkdirSync(join(dataDir, "processes"));
  mkdirSync(join(dataDir, "worktrees", "tester"), { recursive: true });
  for (const name of ["gateway.json", "processes/1", "token", "caret.db.schema-3"])
    writeFileSync(join(dataDir, name), "x");
  const { stdout } = await backup("copy", "--json");
  database.close();
  const copy = join(root, "copy");
  expect(JSON.parse(stdout)).toEqual({ directory: copy, files: 2, bytes: expect.any(Number), worktrees: 1 });
  using copied = new DatabaseSync(join(copy, "caret.db"));
  expect(copied.prepare("select count(*) as count from event").get()).toEqual({ count: 2 });
  expect([readFileSync(join(copy, "token"), "utf8"), existsSync(join(copy, "gateway.json"))]).toEqual(["x", false]);
  expect([copy, join(copy, "caret.db")].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
});

it("copies what the data directory has on another disk by a link, and follows no link below", async () => {
  const disk = join(root, "disk");
  mkdirSync(join(disk, "attachments"), { recursive: true });
  const database = new DatabaseSync(join(disk, "log.db"));
  database.exec("create table event (seq integer); insert into event values (1)");
  database.close();
  writeFileSync(join(disk, "attachments", "a.png"), "picture");
  symlinkSync(join(disk, "log.db"), join(disk, "attachments", "b.png"));
  symlinkSync(join(disk, "attachments"), join(dataDir, "attachments"));
  symlinkSync(join(disk, "log.db"), join(dataDir, "caret.db"));
  const { stdout } = await backup("copy", "--json");
  using copied = new DatabaseSync(join(root, "copy", "caret.db"));
  expect([
    JSON.parse(stdout).files,
    readdirSync(join(root, "copy", "attachments")),
    copied.prepare("select count(*) as count from event").get(),
  ]).toEqual([2, ["a.png"], { count: 1 }]);
  await expect(backup("disk/attachments/copy")).rejects.toMatchObject({ code: "invalid-request" });
  rmSync(disk, { recursive: true });
  await expect(backup("second")).rejects.toMatchObject({
    code: "storage-failed",
    message: `${join(dataDir, "attachments")} leads to nothing`,
  });
});

it("refuses a directory that is not empty, one inside the data directory, and a data directory that is not there", async () => {
  writeFileSync(join(root, "other"), "");
  await expect(backup(".")).rejects.toMatchObject({ code: "invalid-request", message: `${root} is not empty` });
  await expect(backup("data/copy")).rejects.toMatchObject({ code: "invalid-request" });
  rmSync(dataDir, { recursive: true });
  await expect(backup("copy")).rejects.toMatchObject({ code: "not-found" });
});

it("refuses a directory that is inside the data directory by a link", async () => {
  symlinkSync(dataDir, join(root, "link"));
  await expect(backup("link/copy")).rejects.toMatchObject({ code: "invalid-request" });
  expect(readdirSync(dataDir)).toEqual([]);
});

it("leaves nothing that looks like a data directory when it fails, and can be tried again there", async () => {
  for (const name of ["caret.db", "token"]) writeFileSync(join(dataDir, name), "no database".repeat(100));
  await expect(backup("copy")).rejects.toMatchObject({ code: "storage-failed" });
  const left = readdirSync(join(root, "copy"));
  rmSync(join(dataDir, "caret.db"));
  await backup("copy");
  expect([left, readdirSync(join(root, "copy"))]).toEqual([[".incomplete"], ["token"]]);
});

it("leads back from an installation in a copy of the data directory, after the original is gone", async () => {
  const file = join(root, ".codex", "config.toml");
  mkdirSync(join(root, ".codex"));
  writeFileSync(file, "# mine\n");
  await tryCommand(addInstallCommand, ["install", "mcp-codex", "--no-test"], at(dataDir));
  await backup("copy");
  rmSync(dataDir, { recursive: true });
  await tryCommand(addUninstallCommand, ["uninstall", "mcp-codex"], at(join(root, "copy")));
  expect(readFileSync(file, "utf8")).toBe("# mine\n");
});
