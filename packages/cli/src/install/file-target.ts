import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CaretError } from "@caret/protocol";

const PERMISSIONS = 0o777;
const OWNER_MAY_WRITE = 0o200;

/** The file that is changed for a path: behind its links, also where they lead to nothing yet. A link stays one. */
export interface FileTarget {
  readonly path: string;
  /** Its permissions; undefined where there is no file. */
  readonly mode: number | undefined;
  /** Of a file that is not this user's. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** Hard links: the file is also called otherwise. */
  readonly hasOtherNames: boolean;
  /** Throws, before anything is written, where the file is not to be replaced. */
  assertReplaceable(): void;
}

export function findTarget(path: string, uid = process.getuid?.()): FileTarget {
  const target = followLinks(path);
  const stat = statSync(target, { throwIfNoEntry: false });
  const isOthers = stat !== undefined && uid !== undefined && stat.uid !== uid;
  const owner = isOthers ? { uid: stat.uid, gid: stat.gid } : undefined;
  return {
    path: target,
    mode: stat === undefined ? undefined : stat.mode & PERMISSIONS,
    owner,
    hasOtherNames: stat !== undefined && stat.nlink > 1,
    assertReplaceable() {
      if (owner !== undefined && uid !== 0) throw refusal(path, "belongs to another user", "Run this as that user.");
      if (stat !== undefined && (stat.mode & OWNER_MAY_WRITE) === 0)
        throw refusal(path, "is read-only", "Make it writable, or change it where it is generated.");
      const directory = nearestDirectory(dirname(target));
      if (!isWritable(directory))
        throw refusal(path, `cannot be written: no file can be made in ${directory}`, "Make the directory writable.");
    },
  };
}

function refusal(path: string, why: string, fix: string): CaretError {
  return new CaretError("storage-failed", `${path} ${why}`, { fix: `Nothing was changed. ${fix}` });
}

function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== "ENOENT") throw reason;
    const directory = followLinks(dirname(path));
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? followLinks(resolve(directory, readlinkSync(path))) : join(directory, basename(path));
  }
}

function nearestDirectory(directory: string): string {
  const isThere = statSync(directory, { throwIfNoEntry: false }) !== undefined;
  return isThere ? directory : nearestDirectory(dirname(directory));
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    // The reason does not change the fix: the directory has to be made writable.
    return false;
  }
}
