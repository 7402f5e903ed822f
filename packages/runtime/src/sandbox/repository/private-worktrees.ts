import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { wayInside } from "../../paths/physical-path.ts";
import { copyByTrueName, listByTrueName } from "../true-name.ts";
import type { Repository } from "./ask-repository.ts";

const NAME = /^[\w][\w.+-]*$/;
const MAX_TREES = 64;
const MAX_BYTES = 1024 * 1024 * 1024;
/** What a directory of git knows of a working tree, and names nothing to be run. */
const READ = ["HEAD", "index", "logs/HEAD"];

/** A linked working tree that lies in the workspace. */
export interface PrivateWorktree {
  readonly name: string;
  /** Its top. */
  readonly path: string;
  /** What the turn has of it, and what it was given. */
  readonly own: string;
  readonly given: string;
}

/** Working trees in the workspace go on being ones inside. Those elsewhere are out of reach, and are not shown. */
export function copyWorktrees(directory: string, { entry, common, workspace }: Repository): void {
  // The `.git` files in a linked working tree's own working trees name a directory that is not there inside.
  if (entry === "file") return;
  for (const name of (listByTrueName(join(common, "worktrees")) ?? [])
    .filter((tree) => NAME.test(tree))
    .slice(0, MAX_TREES)) {
    const path = pathOf(join(common, "worktrees", name), workspace);
    if (path === undefined) continue;
    for (const file of READ)
      for (const to of [directory, givenBeside(directory)])
        copyByTrueName(join(common, "worktrees", name, file), join(to, "worktrees", name, file), MAX_BYTES);
    writeAdmin(join(directory, "worktrees", name), path);
    writeAdmin(join(givenBeside(directory), "worktrees", name), path);
  }
}

/** The working trees that the turn has left, and those that it was given and has removed. */
export function listWorktrees(
  directory: string,
  workspace: string,
): {
  readonly left: readonly PrivateWorktree[];
  readonly removed: readonly string[];
} {
  const given = join(givenBeside(directory), "worktrees");
  const left: PrivateWorktree[] = [];
  for (const name of listByTrueName(join(directory, "worktrees")) ?? []) {
    const own = join(directory, "worktrees", name);
    const path = NAME.test(name) && left.length < MAX_TREES ? pathOf(own, workspace) : undefined;
    if (path !== undefined) left.push({ name, path, own, given: join(given, name) });
  }
  const names = new Set(left.map(({ name }) => name));
  const removed = (listByTrueName(given) ?? []).filter(
    (name) => !names.has(name) && !existsSync(pathOf(join(given, name), workspace) ?? workspace),
  );
  return { left, removed };
}

/** Leaves of each what git reads of it, and says where the rest is. */
export function cleanWorktrees(directory: string, workspace: string): void {
  const { left } = listWorktrees(directory, workspace);
  const known = new Map(left.map((tree) => [tree.name, tree]));
  for (const name of listByTrueName(join(directory, "worktrees")) ?? [])
    cleanWorktree(join(directory, "worktrees", name), known.get(name)?.path);
}

function cleanWorktree(own: string, path: string | undefined): void {
  if (path === undefined) return rmSync(own, { recursive: true, force: true });
  for (const file of listByTrueName(own) ?? [])
    if (file !== "HEAD" && file !== "index") rmSync(join(own, file), { recursive: true, force: true });
  writeAdmin(own, path);
}

export function writeAdmin(admin: string, path: string): void {
  mkdirSync(admin, { recursive: true, mode: 0o700 });
  writeFileSync(join(admin, "commondir"), "../..\n");
  writeFileSync(join(admin, "gitdir"), `${join(path, ".git")}\n`);
}

function givenBeside(directory: string): string {
  return `${directory}.given`;
}

/** Undefined where it does not lie in the workspace. */
function pathOf(admin: string, workspace: string): string | undefined {
  const file = readText(join(admin, "gitdir")).trim();
  const way = wayInside(workspace, dirname(file));
  return way === undefined || way === "" || !file.endsWith("/.git") || file.includes("\n") ? undefined : dirname(file);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // no working tree's
  }
}
