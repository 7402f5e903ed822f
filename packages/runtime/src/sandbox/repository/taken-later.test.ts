import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Git } from "../../git/run-git.ts";
import type { Spawner } from "../../process/child-handle.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createSandboxBench, hasBubblewrap, type SandboxBench } from "../testing/sandbox-bench.ts";
import { askRepository } from "./ask-repository.ts";
import { readConfig } from "./read-config.ts";
import { openTurnRepository, sweepTurnRepositories } from "./turn-repository.ts";

let bench: SandboxBench;
let spawner: Spawner;
beforeEach(() => {
  bench = createSandboxBench();
  spawner = createInlineSpawner();
  writeFileSync(join(bench.home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
});
afterEach(async () => {
  await spawner.close();
  await bench.close();
});

const sh = (script: string): string =>
  execFileSync("/bin/sh", ["-ec", script], {
    cwd: bench.workspace,
    env: { PATH: "/usr/bin:/bin", HOME: bench.home, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  }).toString();

const START = `git init -q -b main . && echo a >a && git add . && git commit -qm one && git checkout -qb t
echo t >a && git commit -qam t && git checkout -q main && echo m >a && git commit -qam m`;

/** A turn whose work cannot be taken over at its end, since the index is locked; the next start takes it over. */
async function takeLater(script: string): Promise<readonly string[]> {
  const git: Git = { spawner, env: { PATH: "/usr/bin:/bin", HOME: bench.home } };
  const root = join(bench.directory, "root");
  mkdirSync(root, { recursive: true });
  const answer = await askRepository(git, bench.workspace, await readConfig(git, bench.workspace));
  const repository = answer.kind === "repository" ? answer.repository : undefined;
  const turn = await openTurnRepository(git, { workspace: bench.workspace, root, id: "turn" }, repository);
  writeFileSync(join(turn.directory, "objects", "info", "alternates"), join(bench.workspace, ".git", "objects"));
  sh(`export GIT_DIR=${turn.directory} GIT_WORK_TREE=$PWD; ${script}`);
  const lock = join(bench.workspace, ".git", "index.lock");
  writeFileSync(lock, "");
  expect(await turn.close()).toEqual([expect.stringContaining("index.lock")]);
  rmSync(lock);
  const receipt = join(root, "turn.json");
  writeFileSync(receipt, JSON.stringify({ ...JSON.parse(readFileSync(receipt, "utf8")), holder: "{}" }));
  const words = await sweepTurnRepositories(git, root);
  expect(readdirSync(root).filter((name) => name.startsWith("turn"))).toEqual([]);
  return words;
}

it("A merge that a person had begun goes on outside where a turn's work is taken over later", async () => {
  sh(`${START} && ! git merge -q t`);
  expect(await takeLater("echo n >n && git add n")).toEqual([]);
  expect(existsSync(join(bench.workspace, ".git", "MERGE_HEAD"))).toBe(true);
  expect(sh("git status --porcelain")).toBe("UU a\nA  n\n");
});

it("A merge that a person had begun ends where the turn has ended it and its work is taken over later", async () => {
  sh(`${START} && ! git merge -q t`);
  expect(await takeLater("echo both >a && git add a && git commit -qm merged && echo n >n && git add n")).toEqual([]);
  expect(existsSync(join(bench.workspace, ".git", "MERGE_HEAD"))).toBe(false);
  expect(sh("git log -1 --format=%s; git status --porcelain")).toBe("merged\nA  n\n");
});

it("A rebase that the turn has not finished waits for the next turn where its work is taken over later", async () => {
  sh(START);
  const words = await takeLater("git checkout -q t && (git rebase -q main || true) && echo n >n && git add n");
  expect(words).toEqual([expect.stringContaining("A rebase is not finished")]);
  expect(readdirSync(join(bench.directory, "root"))).toEqual([expect.stringMatching(/^operation-/)]);
});

it.skipIf(!hasBubblewrap)("A merge that a person has begun meanwhile goes on outside", async () => {
  sh(START);
  await bench.run("on", "echo n >n && git add n", {
    env: { HOME: bench.home },
    beforeClose: () => sh("! git merge -q t"),
  });
  expect(existsSync(join(bench.workspace, ".git", "MERGE_HEAD"))).toBe(true);
  expect([sh("git status --porcelain"), bench.said]).toEqual(["UU a\nA  n\n", []]);
});
