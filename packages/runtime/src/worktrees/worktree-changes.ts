import type { ChangedFile, ChangesView, MergedFile } from "@caret/protocol";
import { DIFF, patchesByPath, shownPatch, splitPatch } from "../git/patches.ts";
import type { Git } from "../git/run-git.ts";
import { inRepository, type RunSafely } from "../git/run-safely.ts";
import { withScratchObjects } from "../git/scratch-objects.ts";
import { line, snapshotWorktree } from "./snapshot-worktree.ts";
import { inWorktree, type Worktree } from "./worktree.ts";

const MAX_FILES = 500;

const statuses: Readonly<Record<string, MergedFile["status"]>> = { A: "added", D: "deleted", R: "renamed" };

/** What the worktree's branch and its uncommitted files change against the commit where they left the repository's branch. */
export async function worktreeChanges(git: Git, worktree: Worktree): Promise<ChangesView> {
  return (await listChanges(git, worktree)).view;
}

export interface ListedChanges {
  readonly view: ChangesView;
  /** Of the files that were listed: another tree has other work. */
  readonly tree: string;
}

/** The same, for those who act on the list later. */
export async function listChanges(git: Git, worktree: Worktree): Promise<ListedChanges> {
  const run = await inWorktree(git, worktree);
  const { patches, files, tree } = await withScratchObjects(run, async (env) => {
    const { head, tree } = await snapshotWorktree(git, worktree, env);
    const base = await forkPoint(git, worktree.repository, head);
    const { text } = await run([...DIFF, base, tree], { env });
    const seeing: RunSafely = (args) => run(args, { env });
    return { patches: patchesByPath(splitPatch(text)), files: await changedFiles(seeing, base, tree), tree };
  });
  const shown = files
    .slice(0, MAX_FILES)
    .map((file): ChangedFile => ({ ...file, ...shownPatch(patches.get(file.path)) }));
  const view = { isRepository: true, branch: worktree.branch, files: shown, omitted: files.length - shown.length };
  return { view, tree };
}

/** The tree of a worktree's files as they are now. */
export async function currentTree(git: Git, worktree: Worktree): Promise<string> {
  const run = await inWorktree(git, worktree);
  return await withScratchObjects(run, async (env) => (await snapshotWorktree(git, worktree, env)).tree);
}

/** Where the worktree's branch left the branch that is checked out in the repository. */
async function forkPoint(git: Git, repository: string, head: string): Promise<string> {
  return await line(await inRepository(git, repository), ["merge-base", "HEAD", head]);
}

/** The files in which two trees differ. */
export async function changedFiles(
  run: RunSafely,
  from: string,
  to: string,
  options: readonly string[] = [],
): Promise<readonly MergedFile[]> {
  const { text } = await run(["diff", "--name-status", "-z", "-M", "--no-ext-diff", ...options, from, to]);
  const words = text.split("\0");
  const files: MergedFile[] = [];
  for (let index = 0; index + 1 < words.length; ) {
    const letter = (words[index] ?? "").slice(0, 1);
    // A renamed or copied file has two names; the new one is last.
    const names = letter === "R" || letter === "C" ? 2 : 1;
    files.push({ path: words[index + names] ?? "", status: statuses[letter] ?? "modified" });
    index += names + 1;
  }
  return files;
}
