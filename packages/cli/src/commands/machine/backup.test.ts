import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
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
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DATABASE_FILES } from "@caret/runtime";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addInstallCommand } from "../clients/install.ts";
import { addUninstallCommand } from "../clients/uninstall.ts";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addBackupCommand } from "./backup.ts";

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

it("copies what agents have made for sessions without a workspace", async () => {
  mkdirSync(join(dataDir, "scratch", "1"), { recursive: true });
  writeFileSync(join(dataDir, "scratch", "1", "work.txt"), "work");
  await backup("copy");
  expect(readFileSync(join(root, "copy", "scratch", "1", "work.txt"), "utf8")).toBe("work");
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

it("copies an agent's files as bytes, whatever they are called, and names what is no file or nothing but a hole", async () => {
  const chats = join(dataDir, "sandboxes", "sessions", "1", "config", "chats");
  mkdirSync(chats, { recursive: true });
  const bytes = { "evil.db": "no database", "evil.db-wal": "wal", "x.tmp": "draft", "caret.db": "not Caret's" };
  for (const [name, text] of Object.entries(bytes)) writeFileSync(join(chats, name), text);
  writeFileSync(Buffer.concat([Buffer.from(`${chats}/`), Buffer.from("odd\xff", "latin1")]), "odd");
  writeFileSync(join(chats, "half"), "half");
  truncateSync(join(chats, "half"), 3_000_000);
  writeFileSync(join(chats, "hole"), "");
  truncateSync(join(chats, "hole"), 8e12);
  symlinkSync("/etc/passwd", join(chats, "link"));
  execFileSync("mkfifo", [join(chats, "pipe"), join(dataDir, "pipe")]);
  const server = createServer().listen(join(dataDir, "socket"));
  await once(server, "listening");
  const made = JSON.parse((await backup("copy", "--json")).stdout);
  server.close();
  const copy = join(root, "copy", "sandboxes", "sessions", "1", "config", "chats");
  expect(readdirSync(copy, { encoding: "latin1" }).toSorted()).toEqual(
    [...Object.keys(bytes), "half", "odd\xff"].toSorted(),
  );
  expect(Object.keys(bytes).map((name) => readFileSync(join(copy, name), "utf8"))).toEqual(Object.values(bytes));
  const half = statSync(join(copy, "half"));
  expect([half.size, half.blocks * 512 < half.size]).toEqual([3_000_000, true]);
  expect(
    made.skipped.toSorted((one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1)),
  ).toEqual([
    { path: join(dataDir, "pipe"), why: "no regular file" },
    { path: join(chats, "hole"), why: "almost nothing but a hole" },
    { path: join(chats, "link"), why: "a link" },
    { path: join(chats, "pipe"), why: "no regular file" },
    { path: join(dataDir, "socket"), why: "no regular file" },
  ]);
});

it("knows every database that the runtime keeps in a data directory by its name", () => {
  const sources = join(import.meta.dirname, "..", "..", "..", "..", "runtime", "src");
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const named = files.flatMap((name) =>
    [...readFileSync(join(sources, name), "utf8").matchAll(/_FILE = "([\w-]+\.db)"/g)].map(([, file]) => file),
  );
  expect(named.toSorted()).toEqual([...DATABASE_FILES].toSorted());
});

/** The state of the target after a kill: nothing, an unfinished copy that no command accepts as a data directory, or a complete one. */
async function assertRepeatable(): Promise<void> {
  const left = existsSync(join(root, "copy")) ? readdirSync(join(root, "copy")) : [];
  if (left.includes(".incomplete")) {
    expect(left).toEqual([".incomplete"]);
    await expect(tryCommand(addBackupCommand, ["backup", "other"], at(join(root, "copy")))).rejects.toMatchObject({
      message: `${join(root, "copy")} is a backup that was not finished, and no data directory`,
    });
  }
  if (left.length > 0 && !left.includes(".incomplete")) rmSync(join(root, "copy"), { recursive: true });
  const whole = left.length > 0 && !left.includes(".incomplete") ? left : undefined;
  await backup("copy");
  const made = readdirSync(join(root, "copy")).toSorted();
  expect([made, readdirSync(root).toSorted()]).toEqual([whole?.toSorted() ?? made, ["copy", "data"]]);
  expect(made).toHaveLength(201);
  rmSync(join(root, "copy"), { recursive: true });
}

it("can be repeated at the same place at whatever moment it was killed", async () => {
  const database = new DatabaseSync(join(dataDir, "caret.db"));
  database.exec("create table event (seq integer); insert into event values (1)");
  database.close();
  for (let index = 0; index < 200; index += 1) writeFileSync(join(dataDir, `file-${index}`), "x".repeat(20_000));
  // Between its two last steps the finished copy is beside the place.
  mkdirSync(join(root, ".copy.caret-backup"));
  writeFileSync(join(root, ".copy.caret-backup", "token"), "x");
  mkdirSync(join(root, "copy"));
  await assertRepeatable();
  const module = join(import.meta.dirname, "..", "..", "backup", "back-up-data.ts");
  const script = `import { backUpData } from ${JSON.stringify(module)};
    process.stdin.once("data", () => { process.stdout.write("begun"); backUpData(process.argv[1], process.argv[2]); process.exit(); });
    process.stdout.write("ready");`;
  for (let run = 0; run < barSize({ quick: 1, full: 20 }); run += 1) {
    const args = ["--input-type=module", "-e", script, dataDir, join(root, "copy")];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.stdin.write("go");
    await once(child.stdout, "data");
    const timer = setTimeout(() => child.kill("SIGKILL"), (run * 7) % 60);
    await once(child, "exit");
    clearTimeout(timer);
    await assertRepeatable();
  }
}, 600_000);
