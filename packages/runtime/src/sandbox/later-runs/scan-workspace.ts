import { constants, type Dirent } from "node:fs";
import { access, lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type BytePath, onDisk, shownPath } from "../../git/byte-path.ts";
import { decidingDirectory, decidingFile } from "../../policy/deciding-names.ts";
import { openUp } from "../true-name.ts";

/** Something in the workspace from which a program takes what to run. */
export interface LaterRun {
  /** From the workspace. */
  readonly path: BytePath;
  /** `git`: a file in a directory of git, or a file `.git`; `named`: git's settings name it. */
  readonly of: "git" | "settings" | "named";
  readonly kind: "file" | "other";
  /** Changes with the file. */
  readonly stamp: string;
  readonly bytes: number;
  /** Who may read, write and run it. */
  readonly mode: number;
  /** When the file system saw it change last. No program can set that. */
  readonly changedMs: number;
}

/** What is looked at before a turn; directories of packages and of git's objects come last. */
const MAX_BEFORE = 20_000;
/** After it a turn could hide something behind so many. */
const MAX_AFTER = 2_000_000;
const AT_ONCE = 16;
const LAST: ReadonlySet<string> = new Set(["node_modules", "objects"]);
/** The workspace's own, which sandboxes have others in the place of. */
const OWN: ReadonlySet<string> = new Set([".git", ".cursor"]);
/** What decides in a directory of git what git runs; `hooks` where it is a link. */
const GIT_FILES = ["config", "config.worktree", "commondir", "gitdir", "hooks"];

export interface Scanned {
  /** By their paths. */
  readonly found: Map<BytePath, LaterRun>;
  /** Directories in which git is run: working trees, and repositories without one. Empty: the workspace itself. */
  readonly tops: Set<BytePath>;
  /** Directories that are closed to us, and since when. */
  readonly closed: Map<BytePath, string>;
  /** Directories that were not looked at: there are too many, or their paths are too long. */
  readonly left: BytePath[];
  readonly beganMs: number;
}

interface Scan extends Scanned {
  readonly workspace: string;
  readonly before: Scanned | undefined;
  /** Directories to look at, in this order: those in which everything decides, others, those of packages. */
  readonly queues: Readonly<Record<"deciding" | "first" | "last", BytePath[]>>;
}

/** Finds them all: by their names, and directories of git by what is in them. Links are not followed. `before` is what was found before the turn. */
export async function scanWorkspace(workspace: string, before?: Scanned): Promise<Scanned> {
  const scan: Scan = {
    workspace,
    before,
    beganMs: Date.now(),
    found: new Map(),
    tops: new Set([""]),
    closed: new Map(),
    left: [],
    queues: { deciding: [], first: [""], last: [] },
  };
  const max = before === undefined ? MAX_BEFORE : MAX_AFTER;
  let count = 0;
  const at = { deciding: 0, first: 0, last: 0 };
  const next = (): { readonly path: BytePath; readonly isDeciding: boolean } | undefined => {
    for (const name of ["deciding", "first", "last"] as const) {
      const path = scan.queues[name][at[name]];
      if (path === undefined) continue;
      at[name] += 1;
      return { path, isDeciding: name === "deciding" };
    }
    return undefined;
  };
  for (;;) {
    const some = Array.from({ length: AT_ONCE }, next).filter((each) => each !== undefined);
    if (some.length === 0) return scan;
    count += some.length;
    if (count > max) {
      scan.left.push(...some.map(({ path }) => path));
      return scan;
    }
    await Promise.all(some.map(({ path, isDeciding }) => look(scan, path, isDeciding)));
  }
}

/** What a turn has made or changed. A path that was not looked at before tells by its time. */
export function changedSince(before: Scanned, after: Scanned): readonly LaterRun[] {
  const isWhole = before.left.length === 0;
  return [...after.found.values()].filter(({ path, stamp, of, changedMs }) => {
    const was = before.found.get(path);
    if (was !== undefined) return was.stamp !== stamp || (of === "git" && was.of === "settings");
    return isWhole || changedMs >= before.beganMs - CLOCK_MS;
  });
}

/** A file system's clock is behind ours by as much. */
const CLOCK_MS = 1_000;

async function look(scan: Scan, directory: BytePath, isDeciding: boolean): Promise<void> {
  const entries = (await entriesOf(scan, directory)).map((entry) => ({ entry, name: entry.name.toString("latin1") }));
  const isGit = isGitDirectory(new Set(entries.map(({ name }) => name)));
  if (isGit) await lookAtGit(scan, directory);
  const own = directory === "" ? OWN : new Set();
  // Three files make any directory look like a repository: scan the rest of it, too.
  for (const { entry, name } of entries.filter((each) => !own.has(each.name)))
    if (!isGit || !scan.found.has(join(directory, name)))
      await lookAtEntry(scan, join(directory, name), entry, isDeciding && !isGit);
}

async function entriesOf(scan: Scan, directory: BytePath): Promise<readonly Dirent<Buffer>[]> {
  const path = placeOf(scan.workspace, directory);
  const read = async (): Promise<readonly Dirent<Buffer>[]> => {
    await access(path, constants.R_OK | constants.X_OK);
    return await readdir(path, { withFileTypes: true, encoding: "buffer" });
  };
  try {
    return await read();
  } catch (reason) {
    const { code } = reason as NodeJS.ErrnoException;
    if (code === "ENAMETOOLONG") scan.left.push(directory);
    if (code !== "EACCES") return []; // it is gone
    return (await opensUp(scan, directory)) ? await read().catch(() => []) : [];
  }
}

/** A turn may close a directory behind it. One that a person has closed stays so. */
async function opensUp({ workspace, before, closed }: Scan, directory: BytePath): Promise<boolean> {
  const path = placeOf(workspace, directory);
  const stat = await lstat(path, { bigint: true }).catch(() => undefined);
  if (stat === undefined) return false;
  const stamp = `${stat.dev}:${stat.ino} ${stat.ctimeNs}`;
  closed.set(directory, stamp);
  return before !== undefined && before.closed.get(directory) !== stamp && openUp(path);
}

async function lookAtEntry(scan: Scan, path: BytePath, entry: Dirent<Buffer>, isDeciding: boolean): Promise<void> {
  const name = basename(path);
  if (isGits(name)) scan.tops.add(parentOf(path));
  if (entry.isDirectory()) queueOf(scan, path, isDeciding).push(path);
  else if (isGits(name)) await note(scan, path, "git");
  else if (isDeciding || isSettings(name)) await note(scan, path, "settings");
}

function isGitDirectory(names: ReadonlySet<string>): boolean {
  return names.has("HEAD") && ((names.has("objects") && names.has("refs")) || names.has("commondir"));
}

function queueOf({ queues }: Scan, path: BytePath, isDeciding: boolean): BytePath[] {
  if (isDeciding || decidingDirectory(shownPath(basename(path)))) return queues.deciding;
  return LAST.has(basename(path)) || LAST.has(basename(parentOf(path))) ? queues.last : queues.first;
}

async function lookAtGit(scan: Scan, directory: BytePath): Promise<void> {
  const names = async (below: string): Promise<readonly string[]> => {
    const path = join(directory, below);
    const stat = await lstat(onDisk(scan.workspace, path)).catch(() => undefined);
    if (stat?.isDirectory() !== true) return [];
    return (await entriesOf(scan, path)).map(({ name }) => name.toString("latin1"));
  };
  if (!isGits(basename(directory))) scan.tops.add(directory);
  for (const name of GIT_FILES) await note(scan, join(directory, name), "git");
  for (const name of await names("hooks"))
    if (!name.endsWith(".sample")) await note(scan, join(directory, "hooks", name), "git");
  for (const below of ["modules", "worktrees"])
    for (const name of await names(below)) scan.queues.first.push(join(directory, below, name));
}

/** Notes what is there under this path, if it is no directory. */
export async function note(
  { workspace, found }: { readonly workspace: string; readonly found: Map<BytePath, LaterRun> },
  path: BytePath,
  of: LaterRun["of"],
): Promise<void> {
  const stat = await lstat(onDisk(workspace, path), { bigint: true }).catch(() => undefined);
  if (stat === undefined || stat.isDirectory()) return;
  found.set(path, {
    path,
    of,
    kind: stat.isFile() ? "file" : "other",
    stamp: `${stat.dev}:${stat.ino} ${stat.size} ${stat.ctimeNs}`,
    bytes: Number(stat.size),
    mode: Number(stat.mode) & 0o777,
    changedMs: Number(stat.ctimeMs),
  });
}

/** A file or link of this name sends git to any directory. */
function isGits(name: string): boolean {
  return plainName(name) === ".git";
}

/** A file `HEAD` decides something only together with what lies beside it. */
function isSettings(name: BytePath): boolean {
  const shown = shownPath(name);
  return plainName(name) !== "head" && (decidingFile(shown) || decidingDirectory(shown));
}

function plainName(name: string): string {
  return name.toLowerCase();
}

function parentOf(path: BytePath): BytePath {
  const end = path.lastIndexOf("/");
  return end < 0 ? "" : path.slice(0, end);
}

function placeOf(workspace: string, directory: BytePath): Buffer {
  return directory === "" ? Buffer.from(workspace) : onDisk(workspace, directory);
}
