import {
  copyFileSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { CaretError } from "@caret/protocol";
import { copyDatabaseFile, makePrivateDirectory, physicalPath, wayInside } from "@caret/runtime";

/** Directories and files that only processes which run now need, or that another place keeps: worktrees are in their repositories. */
const leftOut: ReadonlySet<string> = new Set([
  "caret.lock",
  "caret.open",
  "gateway.json",
  "owners",
  "processes",
  "scratch",
  "worktrees",
]);

/** A journal belongs to a database, which is copied with what is in it; a copy from before an upgrade is a copy already. */
const NOT_COPIED = /\.db-(?:wal|shm|journal)$|\.db\.schema-\d+$|\.tmp$/;

/** Where a copy is until it is whole: one that was interrupted must not be taken for a data directory. */
const DRAFT = ".incomplete";

export interface Backup {
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
  /** Git worktrees of agents, which are not in the copy. */
  readonly worktrees: number;
}

/** Copies a data directory while its gateway runs. Databases are copied as they are at one moment, each by itself. */
export function backUpData(dataDir: string, directory: string): Backup {
  checkPlaces(dataDir, directory);
  makePrivateDirectory(directory);
  const draft = join(directory, DRAFT);
  rmSync(draft, { recursive: true, force: true });
  makePrivateDirectory(draft);
  let files = 0;
  let bytes = 0;
  const isWanted = (path: string): boolean => !leftOut.has(relative(dataDir, path)) && !NOT_COPIED.test(path);
  const copyAll = (from: string, to: string): void => {
    for (const entry of entriesOf(from).filter(({ name }) => isWanted(join(from, name)))) {
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      // Further below, links are an agent's.
      const what = from === dataDir ? behindLink(entry, source, directory) : entry;
      if (what.isDirectory()) {
        mkdirSync(target, { mode: 0o700 });
        copyAll(source, target);
      } else if (what.isFile() && copyOne(source, target)) {
        files += 1;
        bytes += statSync(target).size;
      }
    }
  };
  copyAll(dataDir, draft);
  for (const { name } of entriesOf(draft)) renameSync(join(draft, name), join(directory, name));
  rmdirSync(draft);
  return { directory, files, bytes, worktrees: entriesOf(join(dataDir, "worktrees")).length };
}

function checkPlaces(dataDir: string, directory: string): void {
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory())
    throw new CaretError("not-found", `There is no data directory at ${dataDir}`, {
      fix: "Name the one that Caret uses with `--data-dir`.",
    });
  assertOutside(dataDir, directory);
  if (entriesOf(directory).some(({ name }) => name !== DRAFT))
    throw new CaretError("invalid-request", `${directory} is not empty`, { fix: "Choose a new directory." });
}

function assertOutside(dataDir: string, directory: string): void {
  const places = [physicalPath(directory), join(physicalPath(dirname(directory)), basename(directory))];
  if (places.every((place) => wayInside(physicalPath(dataDir), place) === undefined)) return;
  throw new CaretError("invalid-request", `${directory} is in the data directory itself`, {
    fix: "Choose a place outside of it.",
  });
}

/** What its owner has moved to another disk is a part of the data. */
function behindLink(entry: Dirent, link: string, directory: string): Dirent | Stats {
  if (!entry.isSymbolicLink()) return entry;
  const stat = statSync(link, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new CaretError("storage-failed", `${link} leads to nothing`, {
      fix: "Mount the disk that it leads to, or remove the link, and try again.",
    });
  assertOutside(link, directory);
  return stat;
}

/** False for a file that its owner has removed since it was listed. */
function copyOne(source: string, target: string): boolean {
  try {
    if (source.endsWith(".db")) copyDatabaseFile(source, target);
    else copyFileSync(source, target);
    return true;
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw new CaretError("storage-failed", `${source} could not be copied: ${(reason as Error).message}`, {
      cause: reason,
      fix: "Free some disk space or choose another disk, and try again.",
    });
  }
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw reason;
  }
}
