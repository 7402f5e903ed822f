import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "../../git/run-git.ts";
import { openByTrueName, readByTrueName } from "../true-name.ts";
import type { Repository } from "./ask-repository.ts";
import { withoutSealed } from "./barred-commits.ts";
import { bringHead } from "./bring-head.ts";
import { bringIndex, changeOfIndex, type IndexChange } from "./bring-index.ts";
import { listWorktrees, type PrivateWorktree, writeAdmin } from "./private-worktrees.ts";
import { gitIn, type RepositoryState } from "./repository-state.ts";

/** Where a linked working tree's own repository is mounted inside. */
export const PRIVATE_PLACE = "/run/caret/git";

const HEAD = /^(?:ref: refs\/heads\/\S+|[0-9a-f]{40,64})$/;

const MAX_BYTES = 10_000;

/** How a working tree was changed, or made. */
export interface TreeChange {
  readonly tree: PrivateWorktree;
  readonly isNew: boolean;
  readonly before: string;
  readonly after: string;
  readonly index: IndexChange | undefined;
}

export async function changesOfWorktrees(git: Git, directory: string, workspace: string) {
  const { left, removed } = listWorktrees(directory, workspace);
  const changes: TreeChange[] = [];
  for (const tree of left) {
    const [before, after] = [headOf(tree.given), headOf(tree.own)];
    if (!HEAD.test(after) || !namesIt(tree, directory, workspace)) continue;
    const inside = gitIn(git, tree.own, tree.path);
    const index = await changeOfIndex(inside, { before: join(tree.given, "index"), after: join(tree.own, "index") });
    changes.push({ tree, isNew: before === "", before, after, index });
  }
  return { changes, removed };
}

interface Barriers {
  /** Commits that no working tree may stand at. */
  readonly barred: ReadonlySet<string>;
  /** What git runs here, from the top. */
  readonly sealed: readonly string[];
  /** Where references led when the turn ended. */
  readonly refs: RepositoryState["refs"];
}

/** Makes the same working trees known to the user's repository, under files of Caret's. */
export async function bringWorktrees(
  git: Git,
  { common, workspace }: Repository,
  { changes, removed }: Awaited<ReturnType<typeof changesOfWorktrees>>,
  { barred, sealed, refs }: Barriers,
): Promise<readonly string[]> {
  const words = removed.flatMap((name) => forget(join(common, "worktrees", name), name));
  for (const change of changes) {
    const isBarred = barred.has(refs[change.after.replace(/^ref: /, "")] ?? change.after);
    const outside = gitIn(git, common, workspace);
    const wanted = { sealed, refs, head: change.after };
    const index = change.index && !isBarred ? (await withoutSealed(outside, change.index, wanted)).index : undefined;
    const why = isBarred
      ? "stays as it was: the turn's commits change what git runs here"
      : await bringWorktree(git, { ...change, index }, common);
    if (why !== undefined) words.push(`The working tree ${change.tree.path.slice(workspace.length + 1)} ${why}.`);
  }
  return words;
}

/** Git removes neither one that is locked, its disk may be away, nor one that holds the commits of submodules. */
function forget(admin: string, name: string): readonly string[] {
  if (["locked", "modules"].some((own) => existsSync(join(admin, own))))
    return [`The working tree ${name} stays known: it is locked, or has submodules.`];
  rmSync(admin, { recursive: true, force: true });
  return [];
}

/** What a person has to know of it. */
async function bringWorktree(git: Git, change: TreeChange, common: string): Promise<string | undefined> {
  const { tree, isNew, before, after, index } = change;
  const admin = join(common, "worktrees", tree.name);
  if (isNew && existsSync(admin)) return `is not known outside: there is another one named ${tree.name}`;
  if (isNew) makeAdmin(admin, change, common);
  const outside = gitIn(git, admin, tree.path);
  const isThere = isNew || (await bringHead(outside, before, after));
  const lost = isThere && index !== undefined ? await bringIndex(outside, tree.path, index) : [];
  return isThere && lost.length === 0 ? undefined : "has changed outside meanwhile and stays so";
}

function makeAdmin(admin: string, { tree, after }: TreeChange, common: string): void {
  mkdirSync(join(common, "worktrees"), { recursive: true });
  writeAdmin(admin, tree.path);
  writeFileSync(join(admin, "HEAD"), `${after}\n`);
  const content = `gitdir: ${admin}\n`;
  if (readOwn(tree) !== content) replaceOwn(tree, content);
}

/** Whether the tree's `.git` leads to what the turn had of it: any other file is not git's. */
function namesIt(tree: PrivateWorktree, directory: string, workspace: string): boolean {
  const places = [join(workspace, ".git"), PRIVATE_PLACE, directory];
  return places.some((place) => readOwn(tree) === `gitdir: ${join(place, "worktrees", tree.name)}\n`) || isKnown(tree);
}

/** It was there before the turn, when the user's own git had written it. */
function isKnown(tree: PrivateWorktree): boolean {
  return existsSync(join(tree.given, "HEAD")) && readOwn(tree)?.endsWith(`/worktrees/${tree.name}\n`) === true;
}

function readOwn({ path }: PrivateWorktree): string | undefined {
  return readByTrueName(join(path, ".git"), MAX_BYTES)?.toString();
}

/** Written through the very file that was looked at. */
function replaceOwn({ path }: PrivateWorktree, content: string): void {
  const descriptor = openByTrueName(join(path, ".git"));
  if (descriptor === undefined) return;
  try {
    const writable = openSync(`/proc/self/fd/${descriptor}`, "w");
    writeFileSync(writable, content);
    closeSync(writable);
  } finally {
    closeSync(descriptor);
  }
}

function headOf(admin: string): string {
  return existsSync(join(admin, "HEAD")) ? readFileSync(join(admin, "HEAD"), "utf8").trim() : "";
}
