import { createHash } from "node:crypto";
import { CaretError, type MergePreview, type MergeResult } from "@caret/protocol";
import { parseStatus } from "../git/parse-status.ts";
import type { Git } from "../git/run-git.ts";
import { line, type Snapshot, snapshotWorktree } from "./snapshot-worktree.ts";
import { inRepository, inWorktree, type RunSafely, type Worktree } from "./worktree.ts";
import { changedFiles } from "./worktree-changes.ts";

/** What `git merge-tree` ends with when files conflict. */
const CONFLICTS = 1;

/** For the commit that a preview joins in memory, and for repositories without a name for their commits. */
const CARET = {
  GIT_AUTHOR_NAME: "Caret",
  GIT_AUTHOR_EMAIL: "caret@localhost",
  GIT_COMMITTER_NAME: "Caret",
  GIT_COMMITTER_EMAIL: "caret@localhost",
};

interface Plan {
  readonly preview: MergePreview;
  readonly snapshot: Snapshot;
  readonly target: string;
}

/** What merging would do. Changes no file, no index and no branch, in neither place. */
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
 * in the worktree is committed there first. Rejects and changes nothing when anything is not as the preview showed it, or when there
 * are conflicts.
 */
export async function mergeWorktree(git: Git, worktree: Worktree, wanted: MergeWorktree): Promise<MergeResult> {
  const { preview, snapshot } = await planMerge(git, worktree);
  assertMergeable(preview, wanted.preview, worktree);
  const run = await inRepository(git, worktree.repository);
  const env = await identity(run);
  if (!snapshot.isCommitted) await commitSnapshot(git, worktree, snapshot, wanted.message, env);
  const quiet = ["--quiet", "--no-stat", "--no-edit", "--no-verify", "--no-gpg-sign", "--no-verify-signatures"];
  const into = `Merge branch '${worktree.branch}'`;
  await run(["merge", "--ff", "--strategy=ort", ...quiet, "-m", into, `refs/heads/${worktree.branch}`], { env });
  return { into: preview.into, commit: await line(run, ["rev-parse", "HEAD"]), files: preview.files };
}

async function planMerge(git: Git, worktree: Worktree): Promise<Plan> {
  const { repository, branch } = worktree;
  const snapshot = await snapshotWorktree(git, worktree);
  const run = await inRepository(git, repository);
  const into = await checkedOut(run, repository);
  const target = await line(run, ["rev-parse", "--verify", "HEAD"]);
  const base = await line(run, ["merge-base", target, snapshot.head]);
  await assertNoRepositories(run, base, snapshot.tree);
  const joined = await joinedTree(run, target, await commitOf(run, snapshot, "Preview", CARET));
  const id = digestOf([into, target, snapshot.head, snapshot.tree]);
  const files = await changedFiles(run, base, snapshot.tree);
  const inTheWay = joined.conflicts.length > 0 ? [] : await filesInTheWay(run, target, joined.tree);
  return { preview: { id, repository, into, branch, files, conflicts: joined.conflicts, inTheWay }, snapshot, target };
}

/** A repository within the worktree would be merged as a name without its files. */
async function assertNoRepositories(run: RunSafely, base: string, tree: string): Promise<void> {
  const { text } = await run(["diff-tree", "-r", "--raw", "-z", "--no-renames", base, tree]);
  const entry = /:\d{6} 160000 [^\0]*\0(?<path>[^\0]*)/.exec(text);
  if (entry === null) return;
  throw new CaretError("invalid-request", `The worktree has another Git repository in it: ${entry.groups?.["path"]}`, {
    fix: "Remove its `.git` directory, or add it to `.gitignore`: Git would merge its name without its files.",
  });
}

/** Joins two commits without a checkout. */
async function joinedTree(run: RunSafely, ours: string, theirs: string) {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
  const { code, text } = await run(args, { codes: [0, CONFLICTS] });
  const [tree = "", ...names] = text.split("\0").filter((word) => word !== "");
  return { tree, conflicts: code === CONFLICTS ? names : [] };
}

/** Uncommitted files of the checkout that the merge has to write. */
async function filesInTheWay(run: RunSafely, target: string, tree: string): Promise<readonly string[]> {
  const written = new Set((await changedFiles(run, target, tree)).map(({ path }) => path));
  const { text } = await run(["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty"]);
  const uncommitted = parseStatus(text).entries.flatMap(({ path, oldPath }) => [
    path,
    ...(oldPath === undefined ? [] : [oldPath]),
  ]);
  return uncommitted.filter((path) => written.has(path));
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
async function commitSnapshot(
  git: Git,
  worktree: Worktree,
  snapshot: Snapshot,
  message: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const run = await inWorktree(git, worktree);
  const commit = await commitOf(run, snapshot, message, env);
  await run(["update-ref", "-m", "caret: commit", `refs/heads/${worktree.branch}`, commit, snapshot.head]);
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
    throw new CaretError("invalid-request", `These files conflict: ${conflicts.join(", ")}`, {
      fix: `Nothing was changed. Merge the other branch into the worktree (${path}), resolve the conflicts there and try again.`,
    });
  if (inTheWay.length > 0)
    throw new CaretError("invalid-request", `Uncommitted changes are in the way: ${inTheWay.join(", ")}`, {
      fix: "Nothing was changed. Commit these files, or put them aside with `git stash`, and try again.",
    });
  if (id !== wanted)
    throw new CaretError(
      "invalid-request",
      "The work, or the branch that is to receive it, has changed since the preview",
      {
        fix: "Nothing was changed. Look at a new preview and merge under its id.",
      },
    );
}

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}
