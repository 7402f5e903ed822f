import { chmodSync, constants, copyFileSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { inTrueDirectory } from "../true-name.ts";

/** Takes a file out of the workspace, to `place`. False where it cannot be taken, or is not there under that very name. */
export function withhold(workspace: string, path: string, place: string): boolean {
  return inDirectoryOf(workspace, path, (file) => {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    try {
      renameSync(file, place);
    } catch (reason) {
      if ((reason as NodeJS.ErrnoException).code !== "EXDEV") throw reason;
      cpSync(file, place, { verbatimSymlinks: true });
      rmSync(file);
    }
  });
}

/** The same, and puts what was there before in its place, with the mode that it had. */
export function putBack(
  workspace: string,
  path: string,
  { copy, place, mode }: { readonly copy: string; readonly place: string; readonly mode: number },
): boolean {
  if (!withhold(workspace, path, place)) return false;
  // Copied with its mode, and never through a link that came meanwhile.
  chmodSync(copy, mode);
  return inDirectoryOf(workspace, path, (file) => copyFileSync(copy, file, constants.COPYFILE_EXCL));
}

/** Puts a file of ours in the place of one that was withheld. */
export function putNew(workspace: string, path: string, content: string): boolean {
  return inDirectoryOf(workspace, path, (file) => writeFileSync(file, content, { flag: "wx", mode: 0o644 }));
}

/** The directory is held open meanwhile: another turn may put a link in its place, and nothing must be moved elsewhere. */
function inDirectoryOf(workspace: string, path: string, work: (file: string) => void): boolean {
  try {
    return inTrueDirectory(dirname(join(workspace, path)), (directory) => work(join(directory, basename(path))));
  } catch {
    return false; // its directory cannot be written, by us as by the turn: the caller names the file
  }
}
