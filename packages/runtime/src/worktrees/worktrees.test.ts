import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { isFullRun } from "../testing/bar-size.ts";
import { createWorktree, findRepository } from "./create-worktree.ts";
import { mergeWorktree, previewMerge } from "./merge-worktree.ts";
import { onlyHere } from "./only-here.ts";
import { hasUnmergedWork, removeWorktree } from "./remove-worktree.ts";
import type { Worktree } from "./worktree.ts";
import { worktreeChanges } from "./worktree-changes.ts";

let directory: string;
let repository: string;
const spawner = createInlineSpawner();
const env = (): Record<string, string> => ({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: directory });
const git = (): { spawner: typeof spawner; env: Record<string, string> } => ({ spawner, env: env() });

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
  writeFileSync(join(repository, "b.txt"), "b\n");
  runIn(repository, "add", "-A");
  runIn(repository, "commit", "-qm", "First");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const create = (name = "ada"): Promise<Worktree> =>
  createWorktree(git(), { repository, name, root: join(directory, "worktrees") });

const refused = async (work: Promise<unknown>): Promise<string> => {
  const reason = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return CaretError.is(reason) ? `${reason.code}: ${reason.message}` : `not refused: ${String(reason)}`;
};

describe("a worktree", () => {
  it("begins at the commit that is checked out, on a branch of its own, and leaves the checkout as it is", async () => {
    const worktree = await create();
    expect({
      worktree,
      text: readFileSync(join(worktree.path, "a.txt"), "utf8"),
      branch: runIn(worktree.path, "branch", "--show-current"),
      status: runIn(repository, "status", "--porcelain", "--branch"),
      changes: await worktreeChanges(git(), worktree),
    }).toEqual({
      worktree: { repository, path: join(directory, "worktrees", "ada"), branch: "caret/ada" },
      text: "one\ntwo\nthree\n",
      branch: "caret/ada",
      status: "## main",
      changes: { isRepository: true, branch: "caret/ada", files: [], omitted: 0 },
    });
  });

  it.runIf(isFullRun())("is refused where there is no repository, no commit, or the name is taken", async () => {
    const empty = join(directory, "empty");
    mkdirSync(empty);
    const noRepository = await refused(findRepository(git(), empty));
    runIn(empty, "init", "-q");
    const root = join(directory, "worktrees");
    await create();
    expect([
      noRepository,
      await refused(createWorktree(git(), { repository: empty, name: "x", root })),
      await refused(create()),
    ]).toEqual([
      `invalid-request: ${empty} is not in a Git repository with a checkout`,
      `invalid-request: The repository ${empty} has no commit yet`,
      `invalid-request: There is a directory ${join(root, "ada")} already`,
    ]);
  });

  it("shows committed, uncommitted and new files as its changes", async () => {
    const worktree = await create();
    writeFileSync(join(worktree.path, "a.txt"), "one\n2\nthree\n");
    runIn(worktree.path, "commit", "-qam", "Two");
    rmSync(join(worktree.path, "b.txt"));
    writeFileSync(join(worktree.path, "c.txt"), "new\n");
    const { files } = await worktreeChanges(git(), worktree);
    expect(files.map(({ path, status, additions, deletions }) => [path, status, additions, deletions])).toEqual([
      ["a.txt", "modified", 1, 1],
      ["b.txt", "deleted", 0, 1],
      ["c.txt", "added", 1, 0],
    ]);
  });
});

describe("merging a worktree", () => {
  it("brings committed and uncommitted work to the checkout, as the preview showed it", async () => {
    const worktree = await create();
    writeFileSync(join(worktree.path, "a.txt"), "one\n2\nthree\n");
    writeFileSync(join(worktree.path, "c.txt"), "new\n");
    const before = runIn(worktree.path, "status", "--porcelain");
    const preview = await previewMerge(git(), worktree);
    const untouched = [runIn(worktree.path, "status", "--porcelain"), runIn(repository, "status", "--porcelain")];
    const merged = await mergeWorktree(git(), worktree, { preview: preview.id, message: "Work of ada" });
    expect({ preview, untouched, merged }).toEqual({
      preview: {
        id: expect.any(String),
        repository,
        into: "main",
        branch: "caret/ada",
        files: [
          { path: "a.txt", status: "modified" },
          { path: "c.txt", status: "added" },
        ],
        conflicts: [],
        inTheWay: [],
      },
      untouched: [before, ""],
      merged: { into: "main", commit: runIn(repository, "rev-parse", "main"), files: preview.files },
    });
    expect([
      readFileSync(join(repository, "a.txt"), "utf8"),
      readFileSync(join(repository, "c.txt"), "utf8"),
      runIn(repository, "log", "--format=%s", "main"),
      runIn(repository, "status", "--porcelain"),
      runIn(worktree.path, "status", "--porcelain"),
      await hasUnmergedWork(git(), worktree),
    ]).toEqual(["one\n2\nthree\n", "new\n", "Work of ada\nFirst", "", "", false]);
  });

  it.runIf(isFullRun())("joins what both sides changed in different places", async () => {
    const worktree = await create();
    writeFileSync(join(worktree.path, "c.txt"), "new\n");
    writeFileSync(join(repository, "b.txt"), "b2\n");
    runIn(repository, "commit", "-qam", "Theirs");
    const { id } = await previewMerge(git(), worktree);
    await mergeWorktree(git(), worktree, { preview: id, message: "Work" });
    expect([readFileSync(join(repository, "b.txt"), "utf8"), existsSync(join(repository, "c.txt"))]).toEqual([
      "b2\n",
      true,
    ]);
  });

  it("names conflicts and changes nothing, in neither place", async () => {
    const worktree = await create();
    writeFileSync(join(worktree.path, "a.txt"), "one\nours\nthree\n");
    writeFileSync(join(repository, "a.txt"), "one\ntheirs\nthree\n");
    runIn(repository, "commit", "-qam", "Theirs");
    const heads = () => [
      runIn(repository, "rev-parse", "main", "caret/ada"),
      runIn(repository, "status", "--porcelain"),
    ];
    const before = heads();
    const preview = await previewMerge(git(), worktree);
    const answer = await refused(mergeWorktree(git(), worktree, { preview: preview.id, message: "Work" }));
    expect([preview.conflicts, answer, heads(), readFileSync(join(worktree.path, "a.txt"), "utf8")]).toEqual([
      ["a.txt"],
      "invalid-request: These files conflict: a.txt",
      before,
      "one\nours\nthree\n",
    ]);
  });

  it("does not overwrite uncommitted files of the checkout", async () => {
    const worktree = await create();
    writeFileSync(join(worktree.path, "a.txt"), "one\nours\nthree\n");
    writeFileSync(join(worktree.path, "c.txt"), "agent's\n");
    writeFileSync(join(repository, "a.txt"), "one\nmine\nthree\n");
    writeFileSync(join(repository, "c.txt"), "mine\n");
    const preview = await previewMerge(git(), worktree);
    const answer = await refused(mergeWorktree(git(), worktree, { preview: preview.id, message: "Work" }));
    expect([preview.inTheWay, answer, readFileSync(join(repository, "c.txt"), "utf8")]).toEqual([
      ["a.txt", "c.txt"],
      "invalid-request: Uncommitted changes are in the way: a.txt, c.txt",
      "mine\n",
    ]);
  });

  it("is refused under a preview that is out of date, with nothing to merge, and with a repository in the way", async () => {
    const worktree = await create();
    const nothing = await previewMerge(git(), worktree);
    const answers = [await refused(mergeWorktree(git(), worktree, { preview: nothing.id, message: "Work" }))];
    writeFileSync(join(worktree.path, "c.txt"), "new\n");
    const { id } = await previewMerge(git(), worktree);
    appendFileSync(join(worktree.path, "c.txt"), "and more\n");
    answers.push(await refused(mergeWorktree(git(), worktree, { preview: id, message: "Work" })));
    const nested = join(worktree.path, "nested");
    mkdirSync(nested);
    runIn(nested, "init", "-q");
    runIn(nested, "commit", "-q", "--allow-empty", "-m", "Nested");
    answers.push(await refused(previewMerge(git(), worktree)));
    expect(answers).toEqual([
      "invalid-request: There is nothing to merge",
      "invalid-request: The work, or the branch that is to receive it, has changed since the preview",
      "invalid-request: The worktree has another Git repository in it: nested",
    ]);
  });
});

describe("files in no commit", () => {
  it("are in the way of a merge though Git ignores them, also as a directory where a file would be", async () => {
    writeFileSync(join(repository, ".gitignore"), ".env\nlocal/\nout\n");
    runIn(repository, "add", "-A");
    runIn(repository, "commit", "-qm", "Ignore");
    mkdirSync(join(repository, "local"));
    for (const name of [".env", "local/mine", "out"]) writeFileSync(join(repository, name), "mine\n");
    const worktree = await create();
    mkdirSync(join(worktree.path, "out"));
    for (const name of [".env", "local", "out/a"]) writeFileSync(join(worktree.path, name), "agent's\n");
    runIn(worktree.path, "add", "-Af");
    const preview = await previewMerge(git(), worktree);
    const answer = await refused(mergeWorktree(git(), worktree, { preview: preview.id, message: "Work" }));
    expect([answer, preview.inTheWay, readFileSync(join(repository, "local/mine"), "utf8")]).toEqual([
      "invalid-request: Uncommitted changes are in the way: .env, local/mine, out",
      [".env", "local/mine", "out"],
      "mine\n",
    ]);
  });

  it("are named when only the worktree has them: ignored, staged, in a submodule, in an unfinished merge", async () => {
    const library = join(directory, "library");
    mkdirSync(library);
    runIn(library, "init", "-q", "-b", "main");
    runIn(library, "commit", "-q", "--allow-empty", "-m", "Library");
    runIn(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "libs/one");
    writeFileSync(join(repository, ".gitignore"), "out/\n");
    runIn(repository, "add", "-A");
    runIn(repository, "commit", "-qm", "Submodule");
    const worktree = await create();
    runIn(worktree.path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
    const fresh = await onlyHere(git(), worktree);
    mkdirSync(join(worktree.path, "out"));
    writeFileSync(join(worktree.path, "out", "result.csv"), "1\n");
    writeFileSync(join(worktree.path, "a.txt"), "staged\n");
    runIn(worktree.path, "add", "a.txt");
    writeFileSync(join(worktree.path, "a.txt"), "one\ntwo\nthree\n");
    runIn(join(worktree.path, "libs/one"), "commit", "-q", "--allow-empty", "-m", "Work");
    runIn(join(worktree.path, "libs/one"), "checkout", "-q", "--detach", "HEAD^");
    expect([fresh, await onlyHere(git(), worktree)]).toEqual([
      { unmerged: [], leftBehind: [] },
      {
        unmerged: [],
        leftBehind: [
          "out/",
          "a.txt (staged)",
          "libs/one/ (commits that are on no remote)",
          "commits of the submodule libs/one",
        ],
      },
    ]);
  });
});

describe("a filter of the user's own", () => {
  const store = (): string => join(directory, "store");

  it("keeps large files elsewhere, as in a terminal, when work is merged", async () => {
    // As Git LFS does: Git keeps a pointer, and the content is beside the repository.
    mkdirSync(store());
    const clean = `f=$(mktemp) && cat >$f && s=$(sha256sum <$f | cut -c1-64) && mv $f ${store()}/$s && echo pointer $s`;
    runIn(repository, "config", "--global", "filter.lfs.clean", clean);
    runIn(repository, "config", "--global", "filter.lfs.smudge", `read _ s && cat ${store()}/$s`);
    writeFileSync(join(repository, ".gitattributes"), "*.bin filter=lfs\n");
    runIn(repository, "add", "-A");
    runIn(repository, "commit", "-qm", "Attributes");
    const worktree = await create();
    writeFileSync(join(worktree.path, "large.bin"), "large\n");
    const { id } = await previewMerge(git(), worktree);
    await mergeWorktree(git(), worktree, { preview: id, message: "Work" });
    expect([
      runIn(repository, "show", "main:large.bin").slice(0, 8),
      readFileSync(join(repository, "large.bin"), "utf8"),
      runIn(repository, "status", "--porcelain"),
    ]).toEqual(["pointer ", "large\n", ""]);
  });

  it("that fails keeps the work from being merged, and leaves no object in plain text", async () => {
    runIn(repository, "config", "--global", "filter.crypt.clean", "false");
    runIn(repository, "config", "--global", "filter.crypt.smudge", "cat");
    writeFileSync(join(repository, ".gitattributes"), "*.key filter=crypt\n");
    runIn(repository, "add", "-A");
    runIn(repository, "commit", "-qm", "Attributes");
    const worktree = await create();
    writeFileSync(join(worktree.path, "b.key"), "secret\n");
    const objects = (): string => runIn(repository, "cat-file", "--batch-all-objects", "--batch-check");
    const before = objects();
    const answer = await refused(previewMerge(git(), worktree));
    expect([answer, objects()]).toEqual([
      `invalid-request: Git could not do this: git add failed in ${worktree.path}`,
      before,
    ]);
  });
});

describe("a hostile repository", () => {
  it("runs no hook, filter, driver or other program while a worktree is made, looked at, merged and removed", async () => {
    const mark = join(directory, "ran");
    const program = join(directory, "program");
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n`, { mode: 0o755 });
    for (const hook of [
      "post-checkout",
      "pre-commit",
      "pre-merge-commit",
      "post-merge",
      "commit-msg",
      "reference-transaction",
    ])
      writeFileSync(join(repository, ".git", "hooks", hook), readFileSync(program), { mode: 0o755 });
    const settings = {
      "filter.evil.clean": program,
      "filter.evil.smudge": program,
      "filter.evil.required": "true",
      "merge.evil.driver": program,
      "diff.evil.textconv": program,
      "diff.evil.command": program,
      "core.fsmonitor": program,
      "core.editor": program,
      "commit.gpgSign": "true",
      "gpg.program": program,
      "branch.main.mergeOptions": "-s evil",
    };
    writeFileSync(join(repository, ".gitattributes"), "*.evil filter=evil\n*.txt merge=evil diff=evil\n");
    execFileSync("git", ["-C", repository, "add", "-A"], { env: env() });
    runIn(repository, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "Attributes");
    for (const [name, value] of Object.entries(settings)) runIn(repository, "config", name, value);
    const worktree = await create();
    // The agent is hostile, too: its file `.git` names a repository of its own.
    const own = join(directory, "own");
    mkdirSync(own);
    runIn(own, "init", "-q");
    runIn(own, "config", "core.fsmonitor", program);
    writeFileSync(join(worktree.path, ".git"), `gitdir: ${join(own, ".git")}\n`);
    writeFileSync(join(worktree.path, "c.md"), "new\n");
    writeFileSync(join(worktree.path, "d.evil"), "filtered\n");
    await worktreeChanges(git(), worktree);
    const filtered = await refused(previewMerge(git(), worktree));
    rmSync(join(worktree.path, "d.evil"));
    const { id } = await previewMerge(git(), worktree);
    await mergeWorktree(git(), worktree, { preview: id, message: "Work" });
    await removeWorktree(git(), worktree);
    writeFileSync(join(repository, ".git", "info", "attributes"), "b.txt filter=evil\n");
    expect([filtered, await refused(create())]).toEqual([
      "unsupported: A filter that Caret does not run decides what Git keeps of d.evil",
      "unsupported: A filter that Caret does not run decides what Git keeps of b.txt",
    ]);
    expect([existsSync(mark), existsSync(join(repository, "c.md"))]).toEqual([false, true]);
  }, 30_000);

  it("runs no filter of a repository that the agent made within its worktree", async () => {
    const mark = join(directory, "ran");
    const worktree = await create();
    const nested = join(worktree.path, "nested");
    mkdirSync(nested);
    runIn(nested, "init", "-q");
    writeFileSync(join(nested, "x"), "x\n");
    runIn(nested, "add", "x");
    runIn(nested, "commit", "-qm", "Nested");
    runIn(worktree.path, "-c", "advice.addEmbeddedRepo=false", "add", "nested");
    writeFileSync(join(nested, ".gitattributes"), "* filter=evil\n");
    runIn(nested, "config", "filter.evil.clean", `echo ran >> ${mark}; cat`);
    // As long as before: git has to read it to know whether it has changed.
    utimesSync(join(nested, "x"), 1, 1);
    const { files } = await worktreeChanges(git(), worktree);
    expect([existsSync(mark), files.map(({ path, status }) => [path, status])]).toEqual([false, [["nested", "added"]]]);
  });
});

describe("removing a worktree", () => {
  it("removes its files, its branch and what the repository knows of it, and no other worktree", async () => {
    const other = await create("other");
    const worktree = await create();
    writeFileSync(join(worktree.path, "c.txt"), "new\n");
    const unmerged = await hasUnmergedWork(git(), worktree);
    await removeWorktree(git(), worktree);
    expect({
      unmerged,
      isThere: existsSync(worktree.path),
      branches: runIn(repository, "branch", "--format=%(refname:short)"),
      others: existsSync(other.path),
    }).toEqual({ unmerged: true, isThere: false, branches: "caret/other\nmain", others: true });
  });

  it.runIf(isFullRun())("works when the repository, or the worktree, is gone already", async () => {
    const first = await create("first");
    rmSync(first.path, { recursive: true });
    await removeWorktree(git(), first);
    const second = await create("second");
    const branches = runIn(repository, "branch", "--format=%(refname:short)");
    rmSync(repository, { recursive: true });
    await removeWorktree(git(), second);
    expect([branches, existsSync(second.path)]).toEqual(["caret/second\nmain", false]);
  });
});
