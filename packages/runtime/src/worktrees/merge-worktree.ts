import { createHash } from "node:crypto";
import { CaretError, type MergePreview, type MergeResult } from "@caret/protocol";
import { assertUnfiltered } from "../git/assert-unfiltered.ts";
import { filesInTheWay } from "../git/files-in-the-way.ts";
import { nameSome } from "../git/name-some.ts";
import { type RepositoryPrograms, repositoryPrograms } from "../git/own-programs.ts";
import type { Git } from "../git/run-git.ts";
import { inRepository, openRepository, type RunSafely } from "../git/run-safely.ts";
import { withScratchObjects } from "../git/scratch-objects.ts";
import { repositoriesIn, type TreeChange, treeChanges } from "../git/tree-changes.ts";
import { assertFinished } from "../git/unfinished.ts";
import { unsavedFiles } from "../git/unsaved-files.ts";
import { withIndexOf } from "../git/with-index-of.ts";
import { line, type Snapshot, snapshotWorktree } from "./snapshot-worktree.ts";
import { stoppedMidway } from "./stopped-midway.ts";
import { inWorktree, type Worktree } from "./worktree.ts";
import { changedFiles } from "./worktree-changes.ts";

/** What `git merge-tree` ends with when files conflict. */
const CONFLICTS = 1;

/** Stopped midway, it would leave half of the files behind. */
const MERGE_MS = 3_600_000;

/** For the commit that a preview joins in memory, and for repositories without a name for their commits. */
const CARET = {
  GIT_AUTHOR_NAME: "Caret",
  GIT_AUTHOR_EMAIL: "caret@localhost",
  GIT_COMMITTER_NAME: "Caret",
  GIT_COMMITTER_EMAIL: "caret@localhost",
};

interface Plan {
  readonly preview: MergePreview;
  /** The tree of the worktree's files. */
  readonly tree: string;
  /** The commit that is checked out in the repository. */
  readonly target: string;
}

/** What merging would do. Changes no file, no index and no branch, in neither place, and leaves no object in the repository. */
export async function previewMerge(git: Git, worktree: Worktree): Promise<MergePreview> {
  return (await planMerge(git, worktree)).preview;
}

export interface MergeWorktree {
  /** The id of the preview that was looked at. */
  readonly preview: string;
  /** The message of the commit that holds what was not committed. */
  readonly message: string;
}

/**
 * Merge a worktree's work into the branch that is checked out in the repository, with the files of that checkout. What is not committed
 * in the worktree is committed there. Rejects and changes nothing when anything is not as the preview showed it, when there are
 * conflicts, and when it would write over what is in no commit.
 */
export async function mergeWorktree(git: Git, worktree: Worktree, wanted: MergeWorktree): Promise<MergeResult> {
  const { preview, tree, target } = await planMerge(git, worktree);
  assertMergeable(preview, wanted.preview, worktree);
  const run = await inRepository(git, worktree.repository);
  const snapshot = await snapshotWorktree(git, worktree);
  if (snapshot.tree !== tree) throw changedSince();
  if (!snapshot.isCommitted) await assertAtHead(run, worktree, snapshot);
  const env = await identity(run);
  const work = await commitOf(run, snapshot, wanted.message, env);
  const joined = await joinedCommit(run, worktree, { target, work }, env);
  await assertStill(run, { into: preview.into, target, repository: worktree.repository });
  try {
    await moveForward(run, worktree, joined);
  } catch (reason) {
    throw await stoppedMidway(run, { target, commit: joined, reason });
  }
  if (!snapshot.isCommitted) await moveBranch(git, worktree, snapshot, work);
  return { into: preview.into, commit: await line(run, ["rev-parse", "HEAD"]), files: preview.files };
}

async function planMerge(git: Git, worktree: Worktree): Promise<Plan> {
  const { repository, branch } = worktree;
  const { run, programs } = await openRepository(git, repository);
  const into = await checkedOut(run, repository);
  await assertFinished(run, repository);
  await assertMergeableFilters(git, worktree, programs);
  return await withScratchObjects(run, async (env) => {
    const seeing: RunSafely = (args, options = {}) => run(args, { ...options, env: { ...env, ...options.env } });
    const snapshot = await snapshotWorktree(git, worktree, env);
    const target = await line(seeing, ["rev-parse", "--verify", "HEAD"]);
    const base = await line(seeing, ["merge-base", target, snapshot.head]);
    const work = await treeChanges(seeing, base, snapshot.tree);
    assertNoRepositories(repositoriesIn(work));
    const joined = await joinedTree(seeing, target, await commitOf(seeing, snapshot, "Preview", CARET));
    const id = digestOf([into, target, snapshot.head, snapshot.tree]);
    const files = await changedFiles(seeing, base, snapshot.tree);
    const { conflicts } = joined;
    const written = conflicts.length > 0 ? [] : await treeChanges(seeing, target, joined.tree);
    await assertUnfilteredMerge(git, seeing, { repository, tree: joined.tree, changes: [...work, ...written] });
    const inTheWay = await filesInTheWay(seeing, repository, written);
    return { preview: { id, repository, into, branch, files, conflicts, inTheWay }, tree: snapshot.tree, target };
  });
}

const IN_A_TERMINAL =
  "Set the filter up for your user, or commit in the worktree and merge in a terminal, where it runs.";

/** Before anything of these files is written, be it an object. */
async function assertMergeableFilters(git: Git, worktree: Worktree, { filters }: RepositoryPrograms): Promise<void> {
  const run = await inWorktree(git, worktree);
  const paths = (await unsavedFiles(run)).filter(({ isIgnored }) => !isIgnored).map(({ path }) => path);
  await assertUnfiltered(run, { runs: (name) => filters.has(name), paths, fix: IN_A_TERMINAL });
}

interface FilteredMerge {
  readonly repository: string;
  /** As it would be checked out. */
  readonly tree: string;
  readonly changes: readonly TreeChange[];
}

/** By the attributes that the repository has now, and by those that it would have: work may take the filter away with its attribute. */
async function assertUnfilteredMerge(
  git: Git,
  run: RunSafely,
  { repository, tree, changes }: FilteredMerge,
): Promise<void> {
  const { filters } = await repositoryPrograms(git, repository);
  const paths = [...new Set(changes.map(({ path }) => path))];
  const wanted = { runs: (name: string) => filters.has(name), paths, fix: IN_A_TERMINAL };
  await assertUnfiltered(run, wanted);
  await withIndexOf(run, tree, (env) => assertUnfiltered(run, { ...wanted, isCached: true, env }));
}

/** A repository within the worktree would be merged as a name without its files. */
function assertNoRepositories(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new CaretError("invalid-request", `The worktree has another Git repository in it: ${nameSome(names)}`, {
    fix: "Remove its `.git` directory, or add it to `.gitignore`: Git would merge its name without its files.",
  });
}

/** Uncommitted work is committed on the worktree's branch: it has to be what is checked out. */
async function assertAtHead(run: RunSafely, { branch, path }: Worktree, { head }: Snapshot): Promise<void> {
  const { text } = await run(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { codes: [0, 1] });
  if (text.trim() === head) return;
  throw new CaretError("invalid-request", `The worktree ${path} has not checked out its branch ${branch}`, {
    fix: `Nothing was changed. Check it out there with \`git switch ${branch}\`, and try again.`,
  });
}

/** The commit to move to: the work itself where nothing else was committed meanwhile, else both joined. */
async function joinedCommit(
  run: RunSafely,
  { branch }: Worktree,
  { target, work }: { readonly target: string; readonly work: string },
  env: Readonly<Record<string, string>>,
): Promise<string> {
  if ((await run(["merge-base", "--is-ancestor", target, work], { codes: [0, 1] })).code === 0) return work;
  if ((await run(["merge-base", "--is-ancestor", work, target], { codes: [0, 1] })).code === 0) return target;
  const { tree, conflicts } = await joinedTree(run, target, work);
  if (conflicts.length > 0) throw changedSince();
  return await line(run, ["commit-tree", tree, "-p", target, "-p", work, "-m", `Merge branch '${branch}'`], env);
}

interface Receiving {
  readonly repository: string;
  readonly into: string;
  readonly target: string;
}

/** A person may have committed, or switched to another branch, since the files were looked at: that one would be moved instead. */
async function assertStill(run: RunSafely, { repository, into, target }: Receiving): Promise<void> {
  const now = await line(run, ["rev-parse", "--verify", "HEAD"]);
  // Last of all: two branches may stand at one commit.
  if (now !== target || (await checkedOut(run, repository)) !== into) throw changedSince();
}

/** Git looks once more, at the files as they are now, and writes all of them or none; ignored ones are no more expendable than others. */
async function moveForward(run: RunSafely, { branch }: Worktree, commit: string): Promise<void> {
  const safe = ["--ff-only", "--no-overwrite-ignore", "--no-autostash"];
  const quiet = ["--quiet", "--no-stat", "--no-verify", "--no-gpg-sign", "--no-verify-signatures"];
  const env = { GIT_REFLOG_ACTION: `merge ${branch}` };
  await run(["merge", ...safe, ...quiet, commit], { env, limitMs: MERGE_MS });
}

/** Joins two commits without a checkout. */
async function joinedTree(run: RunSafely, ours: string, theirs: string) {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const { code, text } = await run(args, { codes: [0, CONFLICTS] });
  const [tree = "", ...names] = text.split("\0").filter((word) => word !== "");
  return { tree, conflicts: code === CONFLICTS ? names : [] };
}

async function checkedOut(run: RunSafely, repository: string): Promise<string> {
  const { code, text } = await run(["symbolic-ref", "--quiet", "--short", "HEAD"], { codes: [0, 1] });
  if (code === 0) return text.trim();
  throw new CaretError("invalid-request", `No branch is checked out in ${repository}`, {
    fix: "Check out the branch that is to receive the work, with `git switch`.",
  });
}

async function commitOf(
  run: RunSafely,
  { head, tree, isCommitted }: Snapshot,
  message: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  if (isCommitted) return head;
  return await line(run, ["commit-tree", tree, "-p", head, "-m", message], env);
}

/** The files stay as they are; the branch and the index of the worktree move on to them. */
async function moveBranch(git: Git, worktree: Worktree, { head }: Snapshot, commit: string): Promise<void> {
  const run = await inWorktree(git, worktree);
  await run(["update-ref", "-m", "caret: commit", `refs/heads/${worktree.branch}`, commit, head]);
  await run(["read-tree", commit]);
}

/** Commits are the user's own; where Git knows no name for them, Caret's. */
async function identity(run: RunSafely): Promise<Readonly<Record<string, string>>> {
  const { code } = await run(["var", "GIT_COMMITTER_IDENT"], { codes: [0, 1, 128] });
  return code === 0 ? {} : CARET;
}

function assertMergeable({ id, conflicts, inTheWay, files }: MergePreview, wanted: string, { path }: Worktree): void {
  if (files.length === 0) throw new CaretError("invalid-request", "There is nothing to merge");
  if (conflicts.length > 0)
    throw new CaretError("invalid-request", `These files conflict: ${nameSome(conflicts)}`, {
      fix: `Nothing was changed. Merge the other branch into the worktree (${path}), resolve the conflicts there and try again.`,
    });
  if (inTheWay.length > 0)
    throw new CaretError("invalid-request", `Uncommitted changes are in the way: ${nameSome(inTheWay)}`, {
      fix: "Nothing was changed. Commit these files, put them aside with `git stash` or, where Git ignores them, move them, and try again.",
    });
  if (id !== wanted) throw changedSince();
}

function changedSince(): CaretError {
  const message = "The work, or the branch that is to receive it, has changed since the preview";
  return new CaretError("invalid-request", message, {
    fix: "Nothing was changed. Look at a new preview and merge under its id.",
  });
}

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}
