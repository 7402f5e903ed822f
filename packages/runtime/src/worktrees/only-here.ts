import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { submodulesIn } from "../git/add-files.ts";
import { type BytePath, onDisk, shownPath, splitPaths } from "../git/byte-path.ts";
import { filesBelow, kindOf } from "../git/on-disk.ts";
import { repositoriesOnDisk } from "../git/repositories-on-disk.ts";
import type { Git } from "../git/run-git.ts";
import { inRepository, type RunSafely } from "../git/run-safely.ts";
import { treeChanges } from "../git/tree-changes.ts";
import { unfinishedCommand } from "../git/unfinished.ts";
import { type UnsavedFile, unsavedFiles } from "../git/unsaved-files.ts";
import { withIndexOf } from "../git/with-index-of.ts";
import { line } from "./snapshot-worktree.ts";
import { unpushedIn } from "./unpushed-work.ts";
import { openWorktree, type Worktree } from "./worktree.ts";

/** A line for every file of the repository. */
const MOST_LISTED = 256 * 1024 * 1024;

/** What would be gone with a worktree and its branch: each a name for people. */
export interface OnlyHere {
  /** A merge brings these to the repository's branch: commits, and files that Git would add. */
  readonly unmerged: readonly string[];
  /** No merge does: files that Git ignores, repositories within with what nothing else has of them, what is only staged. */
  readonly leftBehind: readonly string[];
}

/** What no other place has of a worktree, as Git says and as it lies on the disk. Nothing in it is believed that it could say falsely. */
export async function onlyHere(git: Git, worktree: Worktree): Promise<OnlyHere> {
  const repository = await inRepository(git, worktree.repository);
  if (!existsSync(worktree.path)) return { unmerged: await branchAlone(repository, worktree), leftBehind: [] };
  const { run, admin } = await openWorktree(git, worktree);
  const head = await line(run, ["rev-parse", "--verify", "HEAD"]);
  const files = await filesAlone(run, worktree, head);
  const ignored = files.filter(({ isIgnored }) => isIgnored).map(({ path }) => path);
  const uncommitted = files.filter(({ isIgnored }) => !isIgnored).map(({ path }) => path);
  const staged = (await stagedFiles(run)).filter((path) => !uncommitted.includes(path));
  const nested = await repositoriesOnDisk(worktree.path, new Set(ignored));
  const unfinished = await unfinishedCommand(run);
  return {
    unmerged: unique([...(await committed(repository, worktree, head)), ...uncommitted.map(shownPath)]),
    leftBehind: unique([
      ...ignored.map(shownPath),
      ...staged.map((path) => `${shownPath(path)} (staged)`),
      ...(await unpushedIn(git, { top: worktree.path, directories: nested, admin })),
      ...ownRepository(worktree.path),
      ...(existsSync(join(admin, "locked")) ? ["a lock (git worktree lock)"] : []),
      ...(unfinished === undefined ? [] : [`an unfinished ${unfinished}`]),
    ]),
  };
}

/**
 * By their contents: what the worktree's own index notes of a file, its time or that it is to be taken for unchanged, is the agent's to
 * write. What a sparse checkout leaves out is no work.
 */
async function filesAlone(run: RunSafely, { path: top }: Worktree, head: string): Promise<readonly UnsavedFile[]> {
  const listed = await run(["ls-files", "-t", "-z"], { decoding: "latin1", maxBytes: MOST_LISTED });
  const skipped = new Set(splitPaths(listed.text).flatMap((each) => (each.startsWith("S ") ? [each.slice(2)] : [])));
  const { files, links } = await withIndexOf(run, head, async (env) => ({
    files: await unsavedFiles(run, { env }),
    links: await run(["ls-files", "--stage", "-z"], { env, decoding: "latin1", maxBytes: MOST_LISTED }),
  }));
  const found = files.filter(({ path }) => !skipped.has(path));
  for (const { path } of files)
    if (skipped.has(path) && (await kindOf(top, path)) !== undefined) found.push({ path, isIgnored: false });
  const submodules = submodulesIn(links.text);
  const strays = [
    ...(await hiddenFiles(
      top,
      files.filter(({ path }) => !submodules.includes(path)),
    )),
    ...submodules.flatMap((path) => strayFiles(top, path)),
  ];
  return [...found, ...strays];
}

/** Below a directory that took the place of a file Git says only that the file is gone, and nothing of what it ignores there. */
async function hiddenFiles(top: string, files: readonly UnsavedFile[]): Promise<readonly UnsavedFile[]> {
  const named = new Set(files.map(({ path }) => path));
  const hidden: BytePath[] = [];
  for (const { path, isIgnored } of files)
    if (!isIgnored && !path.endsWith("/") && (await kindOf(top, path)) === "directory")
      hidden.push(...(await filesBelow(top, path)).filter((file) => !named.has(file)));
  return hidden.map((path) => ({ path, isIgnored: true }));
}

/** Files where a submodule belongs that is not checked out: Git does not look there. */
function strayFiles(top: string, submodule: BytePath): readonly UnsavedFile[] {
  const directory = onDisk(top, submodule);
  const isDirectory = lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
  const entries = isDirectory ? readdirSync(directory, { encoding: "latin1", withFileTypes: true }) : [];
  if (entries.some(({ name }) => name === ".git")) return [];
  return entries.map((entry) => ({
    path: `${submodule}/${entry.name}${entry.isDirectory() ? "/" : ""}`,
    isIgnored: true,
  }));
}

/** One that was begun at the top itself: its commits are in the directory that goes, while the files are compared with the repository's. */
function ownRepository(top: string): readonly string[] {
  const isOwn = lstatSync(join(top, ".git"), { throwIfNoEntry: false })?.isDirectory() === true;
  return isOwn ? [".git/ (a repository of its own)"] : [];
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

async function stagedFiles(run: RunSafely): Promise<readonly string[]> {
  const args = ["diff-index", "--cached", "--name-only", "-z", "--no-renames", "HEAD"];
  return (await run(args, { decoding: "latin1" })).text.split("\0").filter((path) => path !== "");
}

/** What the commits change that the repository's branch does not have: of the commit that is checked out, and of the worktree's branch. */
async function committed(run: RunSafely, { branch }: Worktree, head: string): Promise<readonly string[]> {
  const tip = await tipOf(run, branch);
  const commits = [head, ...(tip === undefined || tip === head ? [] : [tip])];
  return (await Promise.all(commits.map((commit) => commitsAlone(run, commit, branch)))).flat();
}

async function branchAlone(run: RunSafely, { branch }: Worktree): Promise<readonly string[]> {
  const tip = await tipOf(run, branch);
  return tip === undefined ? [] : await commitsAlone(run, tip, branch);
}

async function tipOf(run: RunSafely, branch: string): Promise<string | undefined> {
  const { code, text } = await run(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { codes: [0, 1] });
  return code === 0 ? text.trim() : undefined;
}

async function commitsAlone(run: RunSafely, commit: string, branch: string): Promise<readonly string[]> {
  if (await staysWithout(run, commit, branch)) return [];
  const base = await run(["merge-base", "HEAD", commit], { codes: [0, 1] });
  const changes = base.code === 0 ? await treeChanges(run, base.text.trim(), commit) : [];
  return changes.length > 0 ? changes.map(({ path }) => shownPath(path)) : [`the commits of ${branch}`];
}

/**
 * Whether the checkout's branch keeps a commit. Where none is checked out, or the one that goes, `HEAD` keeps nothing once a person
 * switches: then another branch, or a tag, has to.
 */
async function staysWithout(run: RunSafely, commit: string, branch: string): Promise<boolean> {
  const own = `refs/heads/${branch}`;
  const checkedOut = (await run(["symbolic-ref", "--quiet", "HEAD"], { codes: [0, 1] })).text.trim();
  if (checkedOut !== "" && checkedOut !== own)
    return (await run(["merge-base", "--is-ancestor", commit, "HEAD"], { codes: [0, 1] })).code === 0;
  const kinds = ["refs/heads", "refs/tags", "refs/remotes"];
  const { text } = await run(["for-each-ref", "--count=2", "--format=%(refname)", `--contains=${commit}`, ...kinds]);
  return text.split("\n").some((name) => name !== "" && name !== own);
}
