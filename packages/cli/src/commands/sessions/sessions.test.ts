import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
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
import { openAttachments, openSqliteEventStore } from "@caret/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addSessionsCommand } from "./sessions.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let directory: string;
let env: Record<string, string>;

beforeEach(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-sessions-")));
  env = { CARET_DATA_DIR: join(directory, "data") };
  await addSession("aaaa-1", { title: "Fix the tests", daysAgo: 1 });
  await addSession("aabb-2", { title: "Write the docs", daysAgo: 40 });
  await addSession("cccc-3", { title: "Elsewhere", daysAgo: 90, workspace: "/elsewhere" });
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function addSession(
  id: string,
  { title, daysAgo, workspace = directory }: { title: string; daysAgo: number; workspace?: string },
): Promise<void> {
  const at = Date.now() - daysAgo * DAY_MS;
  const store = openSqliteEventStore({ directory: join(directory, "data"), role: "guest", now: () => at });
  await store.createSession({ id, workspace, title, lane: "cli", model: "gpt-5", createdAt: at });
  const turn = [
    { type: "turn-start", turnId: "t", lane: "cli", model: "gpt-5", prompt: `Please: ${title}` },
    { type: "text-start", blockId: "b" },
    { type: "text-delta", blockId: "b", text: "Done; the key is sk-proj-AAAABBBBCCCCDDDDEEEEFFFF1234" },
    { type: "text-end", blockId: "b" },
    { type: "usage", usage: { input: 10, output: 5, cost: 0.02 } },
    { type: "turn-end", outcome: { kind: "completed" } },
  ] as const;
  await store.append(
    id,
    0,
    turn.map((event) => ({ turnId: "t", event, at })),
  );
  await store.close();
}

function sessions(...argv: readonly string[]): Promise<Tried> {
  return tryCommand(addSessionsCommand, ["sessions", ...argv], { cwd: directory, env, stdin: "" });
}

async function ids(): Promise<readonly string[]> {
  return JSON.parse((await sessions("ls", "--json")).stdout).map(({ id }: { id: string }) => id);
}

describe("caret sessions", () => {
  it("lists what there is, narrowed down as asked", async () => {
    expect(await ids()).toEqual(["aaaa-1", "aabb-2", "cccc-3"]);
    expect((await sessions("ls", "--search", "DOCS")).stdout).toMatch(/^id\t.*\naabb-2\t.*\tWrite the docs\n$/);
    expect((await sessions("ls", "--workspace", "/elsewhere")).stdout).toMatch(/^id\t.*\ncccc-3\t.*\tElsewhere\n$/);
    expect((await sessions("ls", "--limit", "1")).stdout.trimEnd().split("\n")).toHaveLength(2);
    expect((await sessions("ls", "--search", "nothing")).stdout).toBe("There are no such sessions.\n");
  });

  it("clients D10: says of a session in a directory of Caret's own that it has no workspace", async () => {
    await addSession("dddd-4", {
      title: "By a client",
      daysAgo: 2,
      workspace: join(directory, "data", "scratch", "x"),
    });
    expect((await sessions("ls", "--search", "client")).stdout).toMatch(
      /^id\t.*\ndddd-4\t.*\t\(none\)\tBy a client\n$/,
    );
  });

  it("shows what was asked, answered and paid", async () => {
    const { code, stdout } = await sessions("show", "aaaa");
    expect(code).toBe(0);
    expect(stdout).toContain("\n> Please: Fix the tests\n");
    expect(stdout).toContain("\nDone; the key is ");
    expect(stdout).toMatch(/\n✓ completed in 0ms · 10 in · 5 out · \$0\.0200\n$/);
  });

  it("takes the beginning of an id when only one session has it, and names them all otherwise", async () => {
    await expect(sessions("show", "aa")).rejects.toMatchObject({
      code: "invalid-request",
      upstream: "aaaa-1  Fix the tests\naabb-2  Write the docs",
    });
    await expect(sessions("show", "zz")).rejects.toMatchObject({ code: "session-not-found" });
    await expect(sessions("show", "")).rejects.toMatchObject({ code: "session-not-found" });
  });

  it("exports into a file that is there already for its owner alone, by a link too, and into a pipe's place", async () => {
    const file = join(directory, "old.ndjson");
    writeFileSync(file, "old\n", { mode: 0o644 });
    symlinkSync(file, join(directory, "link"));
    await sessions("export", "aaaa-1", "-o", join(directory, "link"));
    await sessions("export", "aaaa-1", "-o", "/dev/null");
    expect([statSync(file).mode & 0o777, lstatSync(join(directory, "link")).isSymbolicLink()]).toEqual([0o600, true]);
    expect(readFileSync(file, "utf8")).toBe((await sessions("export", "aaaa-1")).stdout);
    expect(readdirSync(directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("carries a session in a private file without secrets, and back", async () => {
    const file = join(directory, "session.ndjson");
    await sessions("export", "aaaa-1", "-o", file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain("sk-proj-");
    expect((await sessions("export", "aaaa-1")).stdout).toBe(readFileSync(file, "utf8"));
    const imported = (await sessions("import", file)).stdout.trim();
    expect((await sessions("show", imported)).stdout).toContain("Please: Fix the tests");
    writeFileSync(file, "not a session\n");
    await expect(sessions("import", file)).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("deletes all the sessions it was given, or none", async () => {
    await expect(sessions("rm", "aaaa", "zz")).rejects.toMatchObject({ code: "session-not-found" });
    expect(await ids()).toHaveLength(3);
    expect((await sessions("rm", "aaaa", "cccc")).stdout).toBe("Deleted 2 sessions:\n  aaaa-1\n  cccc-3\n");
    expect(await ids()).toEqual(["aabb-2"]);
  });

  it("deletes the worktree of a session with it, unless that holds work which was not merged", async () => {
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-C", directory, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
    git("init", "-q", "-b", "main");
    git("-c", "user.name=T", "-c", "user.email=t@example.invalid", "commit", "-q", "--allow-empty", "-m", "First");
    const attachments = openAttachments(join(directory, "data", "attachments"));
    const worktrees = ["one-5", "two-6"].map((id) => ({ id, path: join(directory, "data", "worktrees", id) }));
    for (const { id, path } of worktrees) {
      git("worktree", "add", "-q", "-b", `caret/${id}`, path);
      await addSession(id, { title: id, daysAgo: 1, workspace: path });
      const kept = JSON.stringify({ repository: directory, path, branch: `caret/${id}` });
      writeFileSync(join(attachments.directory(id), "worktree.json"), kept);
    }
    writeFileSync(join(directory, "data", "worktrees", "two-6", "work.txt"), "work");
    await sessions("rm", "one-5", "two-6");
    expect([worktrees.map(({ path }) => existsSync(path)), git("branch", "--format=%(refname:short)")]).toEqual([
      [false, true],
      "caret/two-6\nmain",
    ]);
  });

  it("does exactly what its dry run says when it prunes", async () => {
    const prune = async (...argv: readonly string[]) => JSON.parse((await sessions("prune", "--json", ...argv)).stdout);
    expect(await prune("--older-than", "30d", "--dry-run")).toEqual(["aabb-2", "cccc-3"]);
    expect(await prune("--older-than", "30d", "--keep", "2", "--dry-run")).toEqual(["cccc-3"]);
    expect(await ids()).toHaveLength(3);
    expect(await prune("--older-than", "30d", "--keep", "2")).toEqual(["cccc-3"]);
    expect(await prune("--older-than", "30d")).toEqual(["aabb-2"]);
    expect(await ids()).toEqual(["aaaa-1"]);
  });

  it("prunes by the settings when no flag says otherwise, and not at all without any", async () => {
    await expect(sessions("prune")).rejects.toMatchObject({ code: "invalid-request" });
    await expect(sessions("prune", "--older-than", "soon")).rejects.toMatchObject({ code: "invalid-request" });
    env = { ...env, CARET_RETENTION_SESSIONS: "2" };
    expect(JSON.parse((await sessions("prune", "--json")).stdout)).toEqual(["cccc-3"]);
  });
});
