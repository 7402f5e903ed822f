import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSandboxBench, hasBubblewrap, type SandboxBench } from "../testing/sandbox-bench.ts";

let bench: SandboxBench;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  bench = createSandboxBench();
  env = { HOME: bench.home, GIT_CONFIG_NOSYSTEM: "1" };
  writeFileSync(
    join(bench.home, ".gitconfig"),
    "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n",
  );
});
afterEach(() => bench.close());

const sh = (script: string, cwd = bench.workspace): string =>
  execFileSync("/bin/sh", ["-ec", script], {
    cwd,
    env: { PATH: "/usr/bin:/bin", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  }).toString();
const inside = (script: string, how: Parameters<SandboxBench["run"]>[2] = {}): Promise<string> =>
  bench.run("on", script, { ...how, env });
const START = `git init -q . && echo a >a && git add . && git commit -qm one && echo b >>a && git commit -qam two
git branch topic HEAD~1 && echo s1 >>a && git stash -q && echo s2 >>a && git stash -q`;
const STATE = "git for-each-ref; git symbolic-ref HEAD; git stash list --format='%H %gs'; git ls-files -s";

describe.skipIf(!hasBubblewrap)("a person's work", () => {
  it.each([
    ["a branch of noise", "echo garbage >.git/refs/heads/topic"],
    ["an empty branch", ": >.git/refs/heads/topic"],
    ["a branch that names nothing", "printf '%040d\\n' 0 >.git/refs/heads/topic"],
    ["a branch that is a link", "ln -s /etc/passwd .git/refs/heads/topic"],
    ["no packed references", "rm .git/packed-refs"],
    ["no branch where HEAD is", "git update-ref -d refs/heads/main"],
    ["no logs", "rm -r .git/logs"],
    ["an empty log of stashes", ": >.git/logs/refs/stash"],
    ["stashes of noise", ": >.git/logs/refs/stash; echo x >.git/refs/stash"],
  ])("is not deleted where the turn left %s", async (_, script) => {
    sh(START);
    const before = sh(STATE);
    await inside(script);
    expect(sh(STATE)).toBe(before);
  });

  it("stays on the branch that was switched to meanwhile, where the turn moved or deleted it", async () => {
    for (const script of ["git branch -f topic HEAD", "git branch -D topic"]) {
      sh(`rm -rf .git a && ${START}`);
      const before = sh("git rev-parse topic");
      await inside(script, { beforeClose: () => sh("git checkout -q topic") });
      expect(sh("git rev-parse topic; git status --porcelain")).toBe(before);
    }
    expect(bench.said.filter((words) => words.includes("a working tree has it"))).toHaveLength(2);
  });

  it("has one stash less where the turn dropped one, and all that came meanwhile", async () => {
    sh(START);
    await inside("git stash drop -q stash@{1}; git stash pop -q; echo i >i; git add i; git stash push -qm inside", {
      beforeClose: () => sh("echo mine >m; git add m; git stash push -qm mine -- m"),
    });
    expect(sh("git stash list --format=%gs")).toBe("On main: inside\nOn main: mine\n");
  });

  it("is followed by a notice where the unfinished rebase of an earlier turn cannot go on since HEAD has moved", async () => {
    sh(`${START} && git checkout -qb side HEAD~1 && echo c >a && git commit -qam three`);
    await inside("git rebase -q main || true");
    sh("git reset -q --hard && git commit -q --allow-empty -m mine");
    await inside("true");
    await inside("true");
    expect(bench.said).toEqual([
      expect.stringContaining("A rebase is not finished"),
      expect.stringContaining("could not go on: HEAD has moved"),
    ]);
  });

  it("is still known as a locked working tree where the turn forgot it while its disk was away", async () => {
    sh(
      `${START} && git worktree add -q disk/w -b w && echo s >disk/w/s && git -C disk/w add s && git worktree lock disk/w && mv disk ../disk`,
    );
    await inside("git worktree prune");
    expect(sh("mv ../disk disk && git -C disk/w status --porcelain")).toBe("A  s\n");
    expect(bench.said).toEqual(["The working tree w stays known: it is locked, or has submodules."]);
  });

  it("keeps a sparse checkout sparse", async () => {
    sh(`git init -q . && mkdir x y && echo 1 >x/f && echo 1 >y/f && git add . && git commit -qm one
      git checkout -qb other && echo 2 >y/f && echo 2 >y/g && git add . && git commit -qm two && git checkout -q main
      git sparse-checkout set x`);
    await inside("git checkout -q other && echo 3 >>x/f && git commit -qam three");
    expect([sh("git status --porcelain; git ls-files -t"), bench.said]).toEqual(["H x/f\nS y/f\nS y/g\n", []]);
  });

  it("shows a file that the turn has deleted and hidden", async () => {
    sh(START);
    await inside("echo b >b; git add b; git update-index --skip-worktree b; rm b");
    expect(sh("git status --porcelain")).toBe("AD b\n");
  });

  it("has every reference of a turn that made many, where one is in another's way", async () => {
    sh(START);
    await inside("for i in $(seq 100); do echo create refs/tags/t$i HEAD; done | git update-ref --stdin", {
      beforeClose: () => sh("git tag t50/below"),
    });
    expect([sh("git tag | wc -l").trim(), bench.said]).toEqual(["100", [expect.stringContaining("refs/tags/t50 ")]]);
    expect(sh("git rev-parse $(git for-each-ref --format='%(refname)' refs/caret)")).toBe(sh("git rev-parse main"));
  });

  it.each([
    ["its repository says so", "echo '*.key filter=crypt' >>.git/info/attributes; git config filter.crypt.clean rev"],
    [
      "its user says so",
      "git config --global core.attributesFile $HOME/attributes; echo '*.key filter=crypt' >$HOME/attributes; git config --global filter.crypt.clean rev",
    ],
    [
      "the user's usual file says so",
      "mkdir -p $HOME/.config/git; echo '*.key filter=crypt' >$HOME/.config/git/attributes; git config --global filter.crypt.clean rev",
    ],
  ])("is not committed as it is where %s that it is encrypted", async (_, before) => {
    sh(`${START} && ${before}`);
    const script = "echo secret >b.key; git add b.key && git commit -qm leaked";
    expect(await inside(script)).toContain("clean filter 'crypt' failed");
    expect(sh("git log -1 --format=%s; git ls-files")).toBe("two\na\n");
  });

  it("is not committed in a repository below, where its user says that it is encrypted", async () => {
    sh(`${START} && git init -q n && echo '*.key filter=crypt' >n/.gitattributes
      git config --global filter.crypt.clean rev`);
    expect(await inside("cd n; echo secret >b.key; git add b.key")).toContain("clean filter 'crypt' failed");
  });

  it.each([
    ["named", "git config --global core.excludesFile '~/ignored'; echo '*.log' >$HOME/ignored"],
    ["usual", "mkdir -p $HOME/.config/git; echo '*.log' >$HOME/.config/git/ignore"],
  ])("is left out of a commit of everything where the user's %s list ignores it", async (_, before) => {
    sh(`${START} && ${before} && echo l >x.log`);
    await inside("echo n >n; git add -A; git commit -qm all");
    expect(sh("git ls-files; git status --porcelain")).toBe("a\nn\n");
  });

  it("is read by no repository that names it as a list", async () => {
    mkdirSync(join(bench.home, "own"));
    writeFileSync(join(bench.home, "own", "secret"), "CANARY\n");
    sh(`${START} && git config core.excludesFile ${join(bench.home, "own", "secret")}`);
    expect(await inside("cat $HOME/.config/git/* .git/config | grep -c CANARY")).toBe("0\n");
  });

  it("has the content and the mode that it had, where the turn changed what git runs", async () => {
    sh(`${START} && git init -q n && echo 'exit 0' >n/.git/hooks/pre-commit && chmod 755 n/.git/hooks/pre-commit
      chmod 644 n/.git/config`);
    await inside("cd n; git config core.fsmonitor x; echo 'exit 1' >.git/hooks/pre-commit; chmod 700 .git/hooks/*");
    expect(
      sh("cd n/.git; stat -c %a config hooks/pre-commit; cat hooks/pre-commit; grep -c fsmonitor config || :"),
    ).toBe("644\n755\nexit 0\n0\n");
  });

  it("goes on with the hooks of its branch in a working tree that the turn makes", async () => {
    sh(`${START} && mkdir hooks && echo 'exit 0' >hooks/pre-commit && chmod +x hooks/pre-commit && git add hooks
      git commit -qm hooks && git config core.hooksPath hooks`);
    await inside("git worktree add -q wt -b wt 2>&1");
    expect([sh("git -C wt status --porcelain; ls wt/hooks"), bench.said]).toEqual(["pre-commit\n", []]);
    await inside("git worktree add -q wu -b wu 2>&1; echo 'exit 1' >wu/hooks/pre-commit");
    expect([sh("ls wu/hooks"), bench.said]).toEqual(["", [expect.stringContaining("wu/hooks/pre-commit")]]);
  });
});
