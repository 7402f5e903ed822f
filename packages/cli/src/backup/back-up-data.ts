import { accessSync, constants, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CaretError } from "@caret/protocol";
import { makePrivateDirectory, physicalPath, wayInside } from "@caret/runtime";
import { copyData, type SkippedFile } from "./copy-data.ts";
import { entriesOf } from "./entries-of.ts";
import { UNFINISHED } from "./unfinished-backup.ts";

export interface Backup {
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
  /** Git worktrees of agents, which are not in the copy. */
  readonly worktrees: number;
  /** What could not be copied, or is no file: pipes, sockets, links of agents; absent where there is nothing. */
  readonly skipped?: readonly SkippedFile[];
}

/**
 * Copies a data directory while its gateway runs. Databases are copied as they are at one moment, each by itself. The directory of the
 * copy is empty, or has an unfinished copy in it, up to the moment at which it is whole: it comes by one rename.
 */
export function backUpData(dataDir: string, directory: string): Backup {
  checkPlaces(dataDir, directory);
  makePrivateDirectory(directory);
  const place = physicalPath(directory);
  const whole = join(dirname(place), `.${basename(place)}.caret-backup`);
  checkReplaceable(place, directory);
  const draft = join(place, UNFINISHED);
  for (const left of [draft, whole]) rmSync(left, { recursive: true, force: true });
  makePrivateDirectory(draft);
  const { skipped, ...copied } = copyData(dataDir, draft, (link) => assertOutside(link, directory));
  renameSync(draft, whole);
  renameSync(whole, place);
  const worktrees = entriesOf(join(dataDir, "worktrees")).length;
  return { directory, ...copied, worktrees, ...(skipped.length === 0 ? {} : { skipped }) };
}

function checkPlaces(dataDir: string, directory: string): void {
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory())
    throw new CaretError("not-found", `There is no data directory at ${dataDir}`, {
      fix: "Name the one that Caret uses with `--data-dir`.",
    });
  assertOutside(dataDir, directory);
  if (entriesOf(directory).some((name) => name.toString() !== UNFINISHED))
    throw new CaretError("invalid-request", `${directory} is not empty`, { fix: "Choose a new directory." });
}

function assertOutside(dataDir: string, directory: string): void {
  const places = [physicalPath(directory), join(physicalPath(dirname(directory)), basename(directory))];
  if (places.every((place) => wayInside(physicalPath(dataDir), place) === undefined)) return;
  throw new CaretError("invalid-request", `${directory} is in the data directory itself`, {
    fix: "Choose a place outside of it.",
  });
}

/** A rename cannot put another directory where a disk is mounted, nor into a directory that is read-only. */
function checkReplaceable(place: string, directory: string): void {
  const parent = dirname(place);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    if (statSync(parent).dev === statSync(place).dev) return;
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === undefined) throw reason;
  }
  throw new CaretError("invalid-request", `${directory} cannot be replaced by the finished copy`, {
    fix: `Name a new directory in it: ${join(directory, "caret-backup")}`,
  });
}
