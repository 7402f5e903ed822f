import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createSandboxBench, hasBubblewrap, type SandboxBench } from "../testing/sandbox-bench.ts";
import { askRepository } from "./ask-repository.ts";
import { readConfig } from "./read-config.ts";
import { openTurnRepository, sweepTurnRepositories } from "./turn-repository.ts";

let bench: SandboxBench;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  bench = createSandboxBench();
  env = { HOME: bench.home, GIT_CONFIG_NOSYSTEM: "1" };
  writeFileSync(
    join(bench.home, ".gitconfig"),
    '[user]\n\tname = Ada\n\temail = ada@example.com\n[protocol "file"]\n\tallow = always\n[init]\n\tdefaultBranch = main\n',
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
  bench.run("strict", script, { ...how, env });
const START = "git init -q . && echo a >a && git add . && git commit -qm one && echo b >>a && git commit -qam two";
const COMMIT = "echo c >>a && git commit -qam three && git log --format=%s | tr '\\n' ' '";

describe.skipIf(!hasBubblewrap)("a turn's repository", () => {
  it.each([
    [
      "that hashes with SHA-256",
      "git init -q --object-format=sha256 . && echo a >a && git add . && git commit -qm one && echo b >>a && git commit -qam two",
    ],
    ["whose references are packed", `${START} && git pack-refs --all && git gc -q`],
    [
      "that borrows objects",
      `${START} && mv .git ../origin.git && git clone -qs ../origin.git ../c && mv ../c/.git . && git log -1 >/dev/null`,
    ],
  ])("is made of one %s", async (_, start) => {
    sh(start);
    expect([
      await inside(COMMIT),
      bench.said,
      sh("git log --format=%s; git status --porcelain; git fsck --no-dangling"),
    ]).toEqual(["three two one ", [], "three\ntwo\none\n"]);
  });

  it("is made of a shallow clone, whose history it does not deepen", async () => {
    sh(`${START} && git clone -q --depth 1 file://$PWD ../c && rm -rf .git && mv ../c/.git .`);
    expect([await inside(COMMIT), bench.said, sh("git log --format=%s")]).toEqual(["three two ", [], "three\ntwo\n"]);
  });

  it("is that of a linked working tree, and moves no branch of another one", async () => {
    sh(`${START} && git worktree add -q ../tree -b tree`);
    const tree = join(bench.directory, "tree");
    const script = `${COMMIT}; git branch -f main HEAD~2; git branch other`;
    expect(await inside(script, { workspace: tree })).toBe("three two one ");
    expect(bench.said).toEqual([expect.stringContaining("refs/heads/main stays where it is outside")]);
    expect(
      sh(
        "git log --format=%s main tree other -- | sort -u; git -C ../tree status --porcelain; git log -1 --format=%s main",
      ),
    ).toBe("one\nthree\ntwo\ntwo\n");
  });

  it("is that of a submodule, where that is the workspace; from above its files can be looked at", async () => {
    sh(`${START} && git clone -q . ../lib && git submodule --quiet add ../lib sub && git commit -qm sub`);
    const sub = join(bench.workspace, "sub");
    expect([await inside(COMMIT, { workspace: sub }), bench.said, sh("git log -1 --format=%s", sub)]).toEqual([
      "three two one ",
      [],
      "three\n",
    ]);
    expect(await inside("git -C sub log -1 --format=%s; git status --porcelain")).toBe("three\n M sub\n");
  });

  it("comes into being where the agent makes one, under settings of Caret's", async () => {
    const script = `git init -q . && git config core.fsmonitor false && echo a >a && git add . && git commit -qm made && ${COMMIT}`;
    expect(await inside(script)).toBe("three made ");
    expect(
      sh("git log --format=%s; git status --porcelain; git config --list --local | grep -c fsmonitor || true"),
    ).toBe("three\nmade\n0\n");
    expect([bench.said, existsSync(join(bench.workspace, ".git", "hooks"))]).toEqual([[], false]);
  });

  it("is none below another repository, and leaves none there", async () => {
    sh(`${START} && mkdir -p below`);
    const below = join(bench.workspace, "below");
    expect(
      await inside("git status 2>&1 | head -1; git init -q . 2>&1 | grep -c Read-only", { workspace: below }),
    ).toMatch(/not a git repository[\s\S]*1\n$/);
    expect(readdirSync(below)).toEqual([]);
  });

  it("keeps what a person did meanwhile: a commit, a file that was staged, another branch", async () => {
    sh(`${START} && git branch side`);
    await inside("echo c >>a && git commit -qam inside && git branch -f side HEAD && echo d >d && git add d", {
      beforeClose: () => sh("echo mine >m && git add m && git commit -qm outside && echo s >staged && git add staged"),
    });
    expect(bench.said).toEqual([
      expect.stringMatching(/^refs\/heads\/main stays .* kept as refs\/caret\/kept\/\S+\/heads\/main\.$/),
      expect.stringContaining("the index stays as it is"),
    ]);
    const kept = sh("git for-each-ref --format='%(refname)' refs/caret").trim();
    expect(
      sh(
        `git log -1 --format=%s main; git log -1 --format=%s side; git log -1 --format=%s ${kept}; git diff --cached --name-only`,
      ),
    ).toBe("outside\ninside\ninside\nstaged\n");
  });

  it("merges what was staged inside with what was staged outside meanwhile", async () => {
    sh(`${START} && echo x >x && echo y >y && git add . && git commit -qm three`);
    await inside("echo 1 >>x && echo 1 >>y && git add x y", {
      beforeClose: () => sh("echo 2 >>y && git add y && echo z >z && git add z"),
    });
    expect(bench.said).toEqual([expect.stringContaining("stay there as they are: y")]);
    expect(sh("git show :x :y :z")).toBe("x\n1\ny\n1\n2\nz\n");
  });

  it("goes on with a rebase in the next turn, of which nothing is left outside", async () => {
    sh(`${START} && git checkout -qb t HEAD~1 && echo other >>a && git commit -qam t`);
    await inside("git rebase -q main");
    expect(bench.said).toEqual([expect.stringContaining("A rebase is not finished")]);
    expect(readdirSync(join(bench.workspace, ".git")).filter((name) => /rebase|MERGE|sequencer/.test(name))).toEqual(
      [],
    );
    expect(
      await inside(
        "echo both >a && git add a && GIT_EDITOR=true git rebase --continue >/dev/null 2>&1; git log --format=%s | tr '\\n' ' '",
      ),
    ).toBe("t two one ");
    expect([sh("git log --format=%s t; git symbolic-ref HEAD; git status --porcelain"), bench.said.length]).toEqual([
      "t\ntwo\none\nrefs/heads/t\n",
      1,
    ]);
  });

  it("ends a merge that a person had begun, and leaves one alone that it does not end", async () => {
    sh(`${START} && git checkout -qb t HEAD~1 && echo other >>a && git commit -qam t && ! git merge -q main`);
    await inside("git status");
    expect(existsSync(join(bench.workspace, ".git", "MERGE_HEAD"))).toBe(true);
    await inside("echo both >a && git add a && git commit -qm merged");
    expect([existsSync(join(bench.workspace, ".git", "MERGE_HEAD")), bench.said]).toEqual([false, []]);
    expect(sh("git log -1 --format='%s %p' | wc -w; git status --porcelain")).toBe("3\n");
  });

  it("refuses to commit as it is what the repository encrypts", async () => {
    sh(
      `${START} && git config filter.crypt.clean rev && echo '*.key filter=crypt' >.gitattributes && git add . && git commit -qm attributes`,
    );
    expect(await inside("echo secret >b.key; git add b.key && git commit -qm leaked; git log -1 --format=%s")).toMatch(
      /^attributes\n[\s\S]*clean filter 'crypt' failed/,
    );
    expect(sh("git log -1 --format=%s; git ls-files")).toBe("attributes\n.gitattributes\na\n");
  });

  it("takes nothing over that git's own checks refuse, and keeps it", async () => {
    sh(START);
    await inside(
      "t=$(printf '040000 tree %s\\t.git\\n' $(git write-tree) | git mktree); git update-ref refs/heads/evil $(git commit-tree -m x $t)",
    );
    expect(bench.said).toEqual([expect.stringMatching(/could not be taken over .*hasDotgit/s)]);
    expect(sh("git for-each-ref --format='%(refname)'")).toBe("refs/heads/main\n");
  });

  it.each([
    ["a pipe for its HEAD", "rm .git/HEAD; mkfifo .git/HEAD"],
    ["a link for its index", "rm .git/index; ln -s /etc/passwd .git/index"],
    ["links for its references", "rm -r .git/refs; ln -s / .git/refs"],
    ["directories that are closed", "mkdir .git/refs/heads/x; chmod 0 .git/refs/heads .git/objects .git"],
    ["an index of noise", "head -c 5000 /dev/urandom >.git/index"],
    ["references of noise", "head -c 5000 /dev/urandom >.git/packed-refs"],
    ["nothing", "rm -rf .git/*"],
    ["alternates that lead to a home", "echo /etc >.git/objects/info/alternates"],
  ])("leaves the user's as it was where the turn left %s", async (_, script) => {
    sh(START);
    const before = sh("git for-each-ref; git ls-files -s; cat .git/HEAD");
    await inside(script);
    expect(sh("git for-each-ref; git ls-files -s; cat .git/HEAD; git status --porcelain")).toBe(before);
  });

  it("is brought over at the next start where the gateway was killed during the turn", async () => {
    sh(START);
    const spawner = createInlineSpawner();
    const git = { spawner, env: { PATH: "/usr/bin:/bin", HOME: bench.home } };
    const root = join(bench.directory, "root");
    mkdirSync(root);
    const answer = await askRepository(git, bench.workspace, await readConfig(git, bench.workspace));
    const repository = answer.kind === "repository" ? answer.repository : undefined;
    const turn = await openTurnRepository(git, { workspace: bench.workspace, root, id: "turn" }, repository);
    rmSync(join(turn.directory, "objects", "info", "alternates"));
    writeFileSync(join(turn.directory, "objects", "info", "alternates"), join(bench.workspace, ".git", "objects"));
    sh(`echo c >>a && GIT_DIR=${turn.directory} GIT_WORK_TREE=$PWD git commit -qam three`);
    expect(await sweepTurnRepositories(git, root)).toEqual([]);
    expect(sh("git log -1 --format=%s")).toBe("two\n");
    const receipt = join(root, "turn.json");
    writeFileSync(receipt, JSON.stringify({ ...JSON.parse(readFileSync(receipt, "utf8")), holder: "{}" }));
    expect(await sweepTurnRepositories(git, root)).toEqual([]);
    expect([sh("git log -1 --format=%s; git status --porcelain"), readdirSync(root)]).toEqual(["three\n", []]);
    await spawner.close();
  });
});
