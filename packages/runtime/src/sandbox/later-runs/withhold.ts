import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { type BytePath, onDisk } from "../../git/byte-path.ts";
import { directoryOf, inTrueDirectory } from "../true-name.ts";

/** Takes a file out of the workspace, to `place`. False where it cannot be taken, or is not there under that very name. */
export function withhold(workspace: string, path: BytePath, place: Buffer): boolean {
  return inDirectoryOf(workspace, path, (file) => {
    mkdirSync(directoryOf(place), { recursive: true, mode: 0o700 });
    try {
      renameSync(file, place);
    } catch (reason) {
      if ((reason as NodeJS.ErrnoException).code !== "EXDEV") throw reason;
      cpSync(file.toString(), place.toString(), { verbatimSymlinks: true });
      rmSync(file);
    }
  });
}

/** The same, and puts what was there before in its place, with the mode that it had. */
export function putBack(
  workspace: string,
  path: BytePath,
  { copy, place, mode }: { readonly copy: Buffer; readonly place: Buffer; readonly mode: number },
): boolean {
  if (!withhold(workspace, path, place)) return false;
  // Copied with its mode, and never through a link that came meanwhile.
  chmodSync(copy, mode);
  return inDirectoryOf(workspace, path, (file) => copyFileSync(copy, file, constants.COPYFILE_EXCL));
}

/** Puts a file of ours in the place of one that was withheld. */
export function putNew(workspace: string, path: BytePath, content: string): boolean {
  return inDirectoryOf(workspace, path, (file) => writeFileSync(file, content, { flag: "wx", mode: 0o644 }));
}

/** The directory is held open meanwhile: another turn may put a link in its place, and nothing must be moved elsewhere. */
function inDirectoryOf(workspace: string, path: BytePath, work: (file: Buffer) => void): boolean {
  const parent = dirname(path);
  const directory = parent === "." ? workspace : onDisk(workspace, parent);
  try {
    return inTrueDirectory(directory, (open) => inWritable(open, () => work(onDisk(open, basename(path)))));
  } catch {
    return false; // it is another user's, or the file system can only be read: the caller names the file
  }
}

/** A turn may close a directory behind it that it has written to. */
function inWritable(directory: string, work: () => void): void {
  try {
    work();
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== "EACCES") throw reason;
    const { mode } = statSync(directory);
    chmodSync(directory, (mode & 0o777) | 0o300);
    try {
      work();
    } finally {
      chmodSync(directory, mode & 0o777);
    }
  }
}
