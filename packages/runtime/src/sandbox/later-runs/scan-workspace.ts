import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { decidingDirectory, decidingFile } from "../../policy/deciding-names.ts";

/** Something in the workspace from which a program takes what to run. */
export interface LaterRun {
  /** From the workspace. */
  readonly path: string;
  /** `git`: a file in a directory of git, or a file `.git`; `named`: git's settings name it. */
  readonly of: "git" | "settings" | "named";
  readonly kind: "file" | "other";
  /** Changes with the file. */
  readonly stamp: string;
  readonly bytes: number;
  /** Who may read, write and run it. */
  readonly mode: number;
}

/** A workspace with more directories is looked at as far as this; those of packages and of git's objects come last. */
const MAX_DIRECTORIES = 20_000;
const LAST: ReadonlySet<string> = new Set(["node_modules", "objects"]);
/** The workspace's own, which sandboxes have others in the place of. */
const OWN: ReadonlySet<string> = new Set([".git", ".cursor"]);
/** What decides in a directory of git what git runs. */
const GIT_FILES = ["config", "config.worktree", "commondir", "gitdir"];

export interface Scanned {
  /** By their paths. */
  readonly found: Map<string, LaterRun>;
  /** Directories in which git is run: working trees, and repositories without one. Empty: the workspace itself. */
  readonly tops: Set<string>;
}

interface Scan extends Scanned {
  readonly workspace: string;
  /** Directories to look at, in this order: those in which everything decides, others, those of packages. */
  readonly deciding: string[];
  readonly first: string[];
  readonly last: string[];
}

/** Finds them all: by their names, and directories of git by what is in them. Links are not followed. */
export async function scanWorkspace(workspace: string): Promise<Scanned> {
  const scan: Scan = { workspace, found: new Map(), tops: new Set([""]), deciding: [], first: [""], last: [] };
  for (let count = 0; count < MAX_DIRECTORIES; count += 1) {
    const deciding = scan.deciding.shift();
    const next = deciding ?? scan.first.shift() ?? scan.last.shift();
    if (next === undefined) break;
    await look(scan, next, deciding !== undefined);
  }
  return scan;
}

async function look(scan: Scan, directory: string, isDeciding: boolean): Promise<void> {
  const entries = await readdir(join(scan.workspace, directory), { withFileTypes: true }).catch(() => []);
  const isGit = isGitDirectory(entries);
  if (isGit) await lookAtGit(scan, directory);
  const own = directory === "" ? OWN : new Set();
  // Three files make any directory look like a repository: scan the rest of it, too.
  for (const entry of entries.filter(({ name }) => !own.has(name)))
    if (!isGit || !scan.found.has(join(directory, entry.name)))
      await lookAtEntry(scan, directory, entry, isDeciding && !isGit);
}

async function lookAtEntry(scan: Scan, directory: string, entry: Dirent, isDeciding: boolean): Promise<void> {
  const path = join(directory, entry.name);
  if (isGits(entry.name)) scan.tops.add(directory);
  if (entry.isDirectory()) queueOf(scan, directory, entry.name, isDeciding).push(path);
  else if (isGits(entry.name)) await note(scan, path, "git");
  else if (isDeciding || isSettings(entry.name)) await note(scan, path, "settings");
}

function isGitDirectory(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name));
  return names.has("HEAD") && ((names.has("objects") && names.has("refs")) || names.has("commondir"));
}

function queueOf(scan: Scan, directory: string, name: string, isDeciding: boolean): string[] {
  if (isDeciding || decidingDirectory(name)) return scan.deciding;
  return LAST.has(name) || LAST.has(basename(directory)) ? scan.last : scan.first;
}

async function lookAtGit(scan: Scan, directory: string): Promise<void> {
  const names = (below: string): Promise<readonly string[]> =>
    readdir(join(scan.workspace, directory, below)).catch(() => []);
  if (!isGits(basename(directory))) scan.tops.add(directory);
  for (const name of GIT_FILES) await note(scan, join(directory, name), "git");
  for (const name of await names("hooks"))
    if (!name.endsWith(".sample")) await note(scan, join(directory, "hooks", name), "git");
  for (const below of ["modules", "worktrees"])
    for (const name of await names(below)) scan.first.push(join(directory, below, name));
}

/** Notes what is there under this path, if it is no directory. */
export async function note(
  { workspace, found }: Pick<Scan, "workspace" | "found">,
  path: string,
  of: LaterRun["of"],
): Promise<void> {
  const stat = await lstat(join(workspace, path), { bigint: true }).catch(() => undefined);
  if (stat === undefined || stat.isDirectory()) return;
  const stamp = `${stat.dev}:${stat.ino} ${stat.size} ${stat.ctimeNs}`;
  found.set(path, {
    path,
    of,
    kind: stat.isFile() ? "file" : "other",
    stamp,
    bytes: Number(stat.size),
    mode: Number(stat.mode) & 0o777,
  });
}

/** A file or link of this name sends git to any directory. */
function isGits(name: string): boolean {
  return plainName(name) === ".git";
}

/** A file `HEAD` decides something only together with what lies beside it. */
function isSettings(name: string): boolean {
  return plainName(name) !== "head" && (decidingFile(name) || decidingDirectory(name));
}

function plainName(name: string): string {
  return name.toLowerCase();
}
