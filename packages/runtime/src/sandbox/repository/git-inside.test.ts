import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { directoryName } from "../../paths/session-directory.ts";
import { isFullRun } from "../../testing/bar-size.ts";
import { createSandboxBench, hasBubblewrap, type SandboxBench } from "../testing/sandbox-bench.ts";

/** The same second for all commits, so that the same work has the same names. */
const env = {
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_CONFIG_NOSYSTEM: "1",
};

let bench: SandboxBench;
beforeEach(() => {
  bench = createSandboxBench();
  writeFileSync(join(bench.home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
});
afterEach(() => bench.close());

function sh(script: string, cwd: string): string {
  return execFileSync("/bin/sh", ["-ec", script], {
    cwd,
    env: { PATH: "/usr/bin:/bin", HOME: bench.home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  }).toString("latin1");
}

const START = `git init -q -b main . && echo one >a && echo two >b && git add . && git commit -qm first
git checkout -qb topic && echo three >c && git add . && git commit -qm second && echo 2 >>c && git commit -qam third
git checkout -q main && echo four >>a && git commit -qam fourth && git tag old`;

/** What a person can see of a repository. */
function shown(workspace: string): string {
  return sh(
    `git for-each-ref --format='%(refname) %(objectname) %(symref)'; git symbolic-ref HEAD || git rev-parse HEAD
     git ls-files -s; git status --porcelain=v2 --branch --untracked-files=all; git stash list --format='%H %gs'
     git worktree list --porcelain | sed "s#$PWD#WS#"; git fsck --no-dangling 2>&1; git log --all --format='%H %an <%ae> %s'`,
    workspace,
  );
}

const works = {
  "a commit": "echo x >>a && git commit -qam more",
  "a commit of staged and other changes":
    "echo x >>a && git add a && echo y >>b && git commit -qm more && echo z >new && git add new",
  "an amended commit": "echo x >>a && git add a && git commit -q --amend -m other",
  "a new branch": "git checkout -qb feature && echo x >f && git add f && git commit -qm feature",
  "a renamed branch": "git branch -m topic subject",
  "a deleted branch": "git branch -qD topic",
  "a branch in the place of another": "git branch -qD topic && git branch topic/deep",
  "a detached HEAD": "git checkout -q --detach && echo x >>a && git commit -qam detached",
  "a rebase": "git checkout -q topic && git rebase -q main",
  "an interactive rebase": 'git checkout -q topic && GIT_SEQUENCE_EDITOR="sed -i 2s/pick/fixup/" git rebase -qi main',
  "a merge": "git merge -q --no-edit topic",
  "a merge without fast-forward": "git checkout -qb side old~1 && git merge -q --no-ff --no-edit topic",
  "a cherry-pick": "git cherry-pick topic~1 >/dev/null",
  "a revert": "git revert --no-edit HEAD >/dev/null",
  "a tag": "git tag light && git tag -a -m words heavy && git tag -d old >/dev/null",
  "a stash": "echo x >>a && git stash push -qm kept && echo y >>b && git stash push -q",
  "a note": "git notes add -m noted HEAD",
  "a removed file": "git rm -q b && git mv a moved",
  "a reset": "git reset -q --hard HEAD~1",
  "a file that is staged and no longer": "echo x >>a && git add a && git reset -q a",
  "a finished bisect": "(git bisect start HEAD HEAD~1 && git bisect reset) >/dev/null 2>&1",
  "a collection of garbage": "echo x >>a && git commit -qam more && git gc -q",
  "packed references": "git branch more && git pack-refs --all && git branch another",
  "an executable file and a link": "echo x >run && chmod +x run && ln -s a link && git add . && git commit -qm modes",
  "a working tree":
    "git worktree add -q wt -b tree 2>/dev/null && cd wt && echo x >t && git add t && git commit -qm tree && echo y >>t && git add t",
};

/** Several of them in a row, for every run. */
const days = {
  "a morning's work": `echo x >>a && git commit -qam more && echo y >>a && git add a && git commit -q --amend -m other
git checkout -qb feature && echo x >run && chmod +x run && ln -s a link && git add . && git commit -qm modes && git tag light
git tag -a -m words heavy && git tag -d old >/dev/null && git rm -q b && git mv a moved && git commit -qm moved && git gc -q && git branch -qD topic`,
  "names that are no text": `F=$(printf 'f\\377') && echo x >"$F" && git add . && git commit -qm odd && echo y >>"$F" && git add .
echo z >"$(printf 'g\\376')" && git add . && git branch "$(printf 'b\\377')" && git commit -qm more && git branch é && echo é >é && git add .`,
  "an afternoon's work": `git checkout -q topic && git rebase -q main && git checkout -q main && git merge -q --no-ff --no-edit topic~1
git cherry-pick topic >/dev/null && git revert --no-edit HEAD >/dev/null && (git bisect start HEAD HEAD~1 && git bisect reset) >/dev/null 2>&1
echo x >>a && git stash push -qm kept && echo y >>b && git add b && git worktree add -q wt -b tree 2>/dev/null && cd wt && echo x >t && git add t && git commit -qm tree`,
};

describe.skipIf(!hasBubblewrap)("git in a sandbox", () => {
  it.each(Object.entries(isFullRun() ? { ...days, ...works } : days))(
    "brings %s outside as it would have been made there",
    async (_, script) => {
      const other = join(bench.directory, "other", "workspace");
      mkdirSync(other, { recursive: true });
      sh(START, bench.workspace);
      cpSync(bench.workspace, other, { recursive: true });
      sh(`git update-index -q --refresh; ${script}`, other);
      expect(await bench.run("strict", script, { env: { ...env, HOME: bench.home } })).toBe("");
      expect({ shown: shown(bench.workspace), said: bench.said }).toEqual({ shown: shown(other), said: [] });
      expect(readdirSync(join(bench.directory, "sandboxes", "sessions", directoryName("s"), "git"))).toEqual([]);
    },
  );
});
