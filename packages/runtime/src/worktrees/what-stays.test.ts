import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { releaseWorktree } from "../comparisons/release-worktree.ts";
import type { Git } from "../git/run-git.ts";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { isFullRun } from "../testing/bar-size.ts";
import { createWorktree } from "./create-worktree.ts";
import { mergeWorktree, previewMerge } from "./merge-worktree.ts";
import { onlyHere } from "./only-here.ts";
import type { Worktree } from "./worktree.ts";

let directory: string;
let repository: string;
const spawner = createInlineSpawner();
const env = (): Record<string, string> => ({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: directory });
const git = (): Git => ({ spawner, env: env() });
function runIn(cwd: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
  return execFileSync("git", ["-C", cwd, ...who, ...args], { env: env(), encoding: "utf8", stdio: "pipe" }).trim();
}
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-worktrees-")));
  repository = join(directory, "project");
  mkdirSync(repository);
  runIn(repository, "init", "-q", "-b", "main");
  writeFileSync(join(repository, "a.txt"), "one\ntwo\nthree\n");
  runIn(repository, "add", "-A");
  runIn(repository, "commit", "-qm", "First");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));
const create = (name = "ada"): Promise<Worktree> =>
  createWorktree(git(), { repository, name, root: join(directory, "worktrees") });

async function committedWork(): Promise<Worktree> {
  const worktree = await create();
  writeFileSync(join(worktree.path, "a.txt"), "work\n");
  runIn(worktree.path, "commit", "-qam", "Work");
  return worktree;
}

it("does not take commits for merged where a person only looks at them: no branch, or the worktree's own, is checked out", async () => {
  const worktree = await committedWork();
  const named: unknown[] = [];
  for (const args of [["--detach"], ["--ignore-other-worktrees"]]) {
    runIn(repository, "checkout", "-q", ...args, "caret/ada");
    named.push(await onlyHere(git(), worktree));
    runIn(repository, "checkout", "-q", "main");
  }
  runIn(repository, "branch", "kept", "caret/ada");
  runIn(repository, "checkout", "-q", "--detach", "caret/ada");
  named.push(await onlyHere(git(), worktree));
  const unmerged = ["the commits of caret/ada"];
  expect(named).toEqual([
    { unmerged, leftBehind: [] },
    { unmerged, leftBehind: [] },
    { unmerged: [], leftBehind: [] },
  ]);
});

it("keeps a branch whose commits Git cannot look at, though its worktree was removed by hand", async () => {
  const worktree = await committedWork();
  rmSync(worktree.path, { recursive: true });
  appendFileSync(join(repository, ".git/config"), Buffer.from('[filter "\xff"]\n\tclean = cat\n', "latin1"));
  const kept = await releaseWorktree(git(), worktree, "nothing");
  expect([kept, runIn(repository, "show", "caret/ada:a.txt")]).toEqual([
    ["the commits of caret/ada: Git cannot read them"],
    "work",
  ]);
  runIn(repository, "worktree", "prune");
  runIn(repository, "branch", "-qD", "caret/ada");
  expect(await releaseWorktree(git(), worktree, "nothing")).toEqual([]);
});

it("names a repository that was begun at the top of a worktree", async () => {
  const worktree = await create();
  rmSync(join(worktree.path, ".git"));
  runIn(worktree.path, "init", "-q", "-b", "own");
  runIn(worktree.path, "commit", "-q", "--allow-empty", "-m", "Own");
  expect(await onlyHere(git(), worktree)).toEqual({ unmerged: [], leftBehind: [".git/ (a repository of its own)"] });
});

it("names the lock of a worktree that a person has locked", async () => {
  const worktree = await create();
  runIn(repository, "worktree", "lock", worktree.path);
  expect(await onlyHere(git(), worktree)).toEqual({ unmerged: [], leftBehind: ["a lock (git worktree lock)"] });
});

it("merges nothing under what a person has not finished, whose message and way back stay", async () => {
  writeFileSync(join(repository, "r.txt"), "r\n");
  runIn(repository, "add", "-A");
  runIn(repository, "commit", "-qm", "Second");
  const worktree = await create();
  writeFileSync(join(worktree.path, "a.txt"), "work\n");
  const { id } = await previewMerge(git(), worktree);
  runIn(repository, "revert", "-n", "HEAD");
  const message = readFileSync(join(repository, ".git/MERGE_MSG"), "utf8");
  await expect(mergeWorktree(git(), worktree, { preview: id, message: "Work" })).rejects.toMatchObject({
    message: `A revert is unfinished in ${repository}`,
  });
  expect(readFileSync(join(repository, ".git/MERGE_MSG"), "utf8")).toBe(message);
});

it("names the files that Git has written where it stopped in the middle of a merge", async () => {
  const smudge = 'input=$(cat); test "$input" != bad && echo "$input"';
  for (const [key, value] of Object.entries({ clean: "cat", smudge, required: "true" }))
    runIn(repository, "config", "--global", `filter.large.${key}`, value);
  writeFileSync(join(repository, ".gitattributes"), "*.bin filter=large\n");
  writeFileSync(join(repository, "z.bin"), "good\n");
  runIn(repository, "add", "-A");
  runIn(repository, "commit", "-qm", "Large");
  const worktree = await create();
  for (const [name, text] of Object.entries({ "a.txt": "work\n", "b.txt": "new\n", "z.bin": "bad\n" }))
    writeFileSync(join(worktree.path, name), text);
  const { id } = await previewMerge(git(), worktree);
  await expect(mergeWorktree(git(), worktree, { preview: id, message: "Work" })).rejects.toMatchObject({
    message: "Git stopped in the middle of the merge, and has written these files: a.txt, b.txt, z.bin",
    upstream: expect.stringContaining("smudge filter large failed"),
  });
  runIn(repository, "restore", "--", "a.txt", "z.bin");
  rmSync(join(repository, "b.txt"));
  expect([runIn(repository, "status", "--porcelain"), runIn(repository, "log", "-1", "--format=%s")]).toEqual([
    "",
    "Large",
  ]);
});

/** Git whose commands a person gets ahead of: `act` runs right before the one with this number. */
function aheadOf(number: number, act: () => void, names: string[]): Git {
  const spawn: typeof spawner.spawn = (options) => {
    const [, name = ""] = options.args;
    if (names.length === number) act();
    names.push(name);
    return spawner.spawn(options);
  };
  return { spawner: { ...spawner, spawn }, env: env() };
}

const acts: Readonly<Record<string, () => void>> = {
  "writes a file that Git ignores": () => writeFileSync(join(repository, "new.log"), "mine\n"),
  "changes a file": () => writeFileSync(join(repository, "a.txt"), "mine\n"),
  commits: () => {
    writeFileSync(join(repository, "c.txt"), "mine\n");
    runIn(repository, "add", "c.txt");
    runIn(repository, "commit", "-qm", "Mine");
  },
  "switches to another branch": () => void runIn(repository, "switch", "-q", "other"),
};

it.runIf(isFullRun()).each(Object.entries(acts))(
  "loses nothing and moves no other branch when a person, between two of its commands, %s",
  async (_, act) => {
    writeFileSync(join(repository, ".gitignore"), "*.log\n");
    runIn(repository, "add", "-A");
    runIn(repository, "commit", "-qm", "Ignore");
    runIn(repository, "branch", "other");
    const other = runIn(repository, "rev-parse", "other");
    const worktree = await create();
    writeFileSync(join(worktree.path, "a.txt"), "work\n");
    writeFileSync(join(worktree.path, "new.log"), "work\n");
    runIn(worktree.path, "add", "-f", "new.log");
    const { id } = await previewMerge(git(), worktree);
    const names: string[] = [];
    await mergeOrRefuse(
      aheadOf(-1, () => undefined, names),
      worktree,
      "0".repeat(32),
    );
    const first = isFullRun() ? 0 : names.length;
    for (let number = first; ; number += 1) {
      const seen: string[] = [];
      const start = runIn(repository, "rev-parse", "main");
      const result = await mergeOrRefuse(aheadOf(number, act, seen), worktree, id);
      const isOver = seen.length <= number || seen[number] === "merge";
      if (isOver) break;
      const texts = ["a.txt", "c.txt", "new.log"].map((name) => {
        const file = join(repository, name);
        return existsSync(file) ? readFileSync(file, "utf8") : "";
      });
      expect([number, result, texts.includes("mine\n") || act === acts["switches to another branch"]]).toEqual([
        number,
        expect.any(String),
        true,
      ]);
      expect([number, seen[number], runIn(repository, "rev-parse", "other")]).toEqual([number, seen[number], other]);
      runIn(repository, "switch", "-qf", "main");
      runIn(repository, "reset", "-q", "--hard", start);
      rmSync(join(repository, "new.log"), { force: true });
      if (result === "merged") break;
    }
  },
  120_000,
);

async function mergeOrRefuse(by: Git, worktree: Worktree, preview: string): Promise<string> {
  try {
    await mergeWorktree(by, worktree, { preview, message: "Work" });
    return "merged";
  } catch (reason) {
    if (CaretError.is(reason)) return reason.message;
    throw reason;
  }
}
