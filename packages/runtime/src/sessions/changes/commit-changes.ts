import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { CaretError, type CommitChanges, type CommittedChanges } from "@caret/protocol";
import { addFiles, submodulesIn } from "../../git/add-files.ts";
import { assertUnfiltered } from "../../git/assert-unfiltered.ts";
import { type BytePath, shownPath, splitPaths } from "../../git/byte-path.ts";
import { nameSome } from "../../git/name-some.ts";
import type { RepositoryPrograms } from "../../git/own-programs.ts";
import type { Git } from "../../git/run-git.ts";
import { openRepository, type RunSafely } from "../../git/run-safely.ts";
import { REPOSITORY, treeChanges } from "../../git/tree-changes.ts";
import { wayInside } from "../../paths/physical-path.ts";
import { line } from "../../worktrees/snapshot-worktree.ts";
import { assertCommittable, assertNewBranch } from "./assert-committable.ts";

/**
 * Commits these files of a workspace as they are now, and nothing else, on the branch that is checked out or on a new one. No hook, no
 * signing program and no filter of the repository runs; where a filter decides what is committed, it is refused. The commit is made
 * beside the checkout: when it cannot be made, neither the branch nor the index has changed.
 */
export async function commitChanges(
  git: Git,
  workspace: string,
  { message, paths, branch }: CommitChanges,
): Promise<CommittedChanges> {
  const inside = paths.map((path) => insideOf(workspace, path));
  const { run, programs } = await openRepository(git, workspace);
  await assertNoFilters(run, programs, inside);
  await assertCommittable(run, workspace);
  if (branch !== undefined) await assertNewBranch(run, branch);
  const parent = await headOf(run);
  const tree = await treeWith(run, parent, inside);
  const parents = parent === undefined ? [] : ["-p", parent];
  const commit = await line(run, ["commit-tree", tree, ...parents, "-m", message.trim()]);
  const undo = await moveTo(run, { commit, parent, branch });
  try {
    await addFiles(run, { paths: inside });
    // A file that the index takes for unchanged (`git update-index --assume-unchanged`) would be staged as it was before the commit.
    await run(["reset", "-q", "HEAD", "--", ...inside], { env: { GIT_LITERAL_PATHSPECS: "1" } });
  } catch (reason) {
    // Another program holds the index: it would take the commit for changes that were staged against it.
    await undo();
    throw reason;
  }
  const now = await branchOf(run);
  return now === undefined ? { commit } : { commit, branch: now };
}

/** The way from the workspace to a file in it: the repository may be larger, and another's files are in it. */
function insideOf(workspace: string, path: string): string {
  const way = wayInside(workspace, isAbsolute(path) ? path : resolve(workspace, path));
  if (way !== undefined) return way === "" ? "." : way;
  throw new CaretError("invalid-request", `${JSON.stringify(path)} is not in the session's workspace`, {
    fix: "Name files of the workspace, as its changes list them.",
  });
}

async function headOf(run: RunSafely): Promise<string | undefined> {
  const { code, text } = await run(["rev-parse", "--verify", "--quiet", "HEAD"], { codes: [0, 1] });
  return code === 0 ? text.trim() : undefined;
}

/** Undefined while no branch is checked out. */
async function branchOf(run: RunSafely): Promise<string | undefined> {
  const { text } = await run(["symbolic-ref", "--quiet", "--short", "HEAD"], { codes: [0, 1] });
  return text.trim() === "" ? undefined : text.trim();
}

/** The last commit's tree with these files as they are now, made in an index of its own. */
async function treeWith(run: RunSafely, parent: string | undefined, paths: readonly string[]): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "caret-index-"));
  const env = { GIT_INDEX_FILE: join(directory, "index") };
  try {
    await run(["read-tree", ...(parent === undefined ? ["--empty"] : [parent])], { env });
    await addFiles(run, { paths, env });
    const before = parent === undefined ? undefined : await line(run, ["rev-parse", `${parent}^{tree}`]);
    const tree = await line(run, ["write-tree"], env);
    if (tree !== before) {
      await assertNoRepositories(run, before, tree);
      return tree;
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  throw new CaretError("invalid-request", "There is nothing to commit: these files are as in the last commit", {
    fix: "Refresh the changes and look again.",
  });
}

/** A repository that the index does not know as a submodule would be committed as a name, and none of its files. */
async function assertNoRepositories(run: RunSafely, before: string | undefined, tree: string): Promise<void> {
  const from = before ?? (await line(run, ["hash-object", "-t", "tree", "/dev/null"]));
  const listed = await run(["ls-files", "--full-name", "--stage", "-z", "--", ":/"], { decoding: "latin1" });
  const known = new Set(submodulesIn(listed.text));
  const added = (await treeChanges(run, from, tree)).filter(
    ({ path, before: was, after }) => after === REPOSITORY && was !== REPOSITORY && !known.has(path),
  );
  if (added.length === 0) return;
  throw new CaretError(
    "invalid-request",
    `These are Git repositories of their own: ${nameSome(added.map(({ path }) => shownPath(path)))}`,
    { fix: "Leave them out: Git would commit their names without their files. `git submodule add` makes submodules." },
  );
}

interface Move {
  readonly commit: string;
  readonly parent: string | undefined;
  readonly branch: string | undefined;
}

/** Moves the branch, or begins the new one, only from where it stood. Gives what takes that back. */
async function moveTo(run: RunSafely, { commit, parent, branch }: Move): Promise<() => Promise<void>> {
  const none = "0".repeat(commit.length);
  if (branch === undefined) {
    await run(["update-ref", "-m", "caret: commit", "HEAD", commit, parent ?? none]);
    return async () => {
      if (parent === undefined) await run(["update-ref", "-d", "HEAD", commit]);
      else await run(["update-ref", "HEAD", parent, commit]);
    };
  }
  const before = await branchOf(run);
  const name = `refs/heads/${branch}`;
  await run(["update-ref", "-m", "caret: commit", name, commit, none]);
  await run(["symbolic-ref", "-m", `caret: begin ${branch}`, "HEAD", name]);
  return async () => {
    if (before !== undefined) await run(["symbolic-ref", "HEAD", `refs/heads/${before}`]);
    else if (parent !== undefined) await run(["update-ref", "--no-deref", "HEAD", parent]);
    await run(["update-ref", "-d", name, commit]);
  };
}

const STAGED = ["diff-index", "--cached", "--name-only", "--relative", "--no-renames"];

const IN_A_TERMINAL = "Commit in a terminal: `git add` and `git commit` run it.";

async function assertNoFilters(
  run: RunSafely,
  { ownFilters, filters }: RepositoryPrograms,
  inside: readonly string[],
): Promise<void> {
  if (ownFilters.size > 0)
    throw new CaretError("unsupported", "The repository's own settings name filters that decide what is committed", {
      fix: IN_A_TERMINAL,
    });
  const paths = await uncommittedFiles(run, inside);
  await assertUnfiltered(run, { runs: (name) => filters.has(name), paths, fix: IN_A_TERMINAL });
}

/** Of these, relative to the workspace: what differs from the index, and what differs in the index from the last commit. */
async function uncommittedFiles(run: RunSafely, inside: readonly string[]): Promise<readonly BytePath[]> {
  const options = { env: { GIT_LITERAL_PATHSPECS: "1" }, decoding: "latin1" } as const;
  const some = ["-z", "--", ...inside];
  const changed = await run(["ls-files", "--modified", "--others", "--exclude-standard", ...some], options);
  const against = (await headOf(run)) === undefined ? ["ls-files"] : [...STAGED, "HEAD"];
  return splitPaths(changed.text + (await run([...against, ...some], options)).text);
}
