import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { type BytePath, onDisk } from "../../git/byte-path.ts";

/** All that a turn can change of its repository so that something has to be brought over. */
const COUNTED = ["HEAD", "index", "packed-refs", "refs", "logs/refs/stash", "worktrees"];
const MAX_FILES = 10_000;

/** The same before and after a turn that has changed nothing; undefined where there is too much to compare. */
export function fingerprint(directory: string): string | undefined {
  const hash = createHash("sha256");
  let left = MAX_FILES;
  const add = (path: BytePath): void => {
    const stat = lstatSync(onDisk(directory, path), { throwIfNoEntry: false });
    left -= 1;
    if (stat === undefined || left < 0) return;
    hash.update(`${path}\0${stat.mode}\0`);
    if (stat.isDirectory())
      for (const name of readdirSync(onDisk(directory, path), { encoding: "latin1" }).sort()) add(`${path}/${name}`);
    else if (stat.isFile())
      hash.update(
        createHash("sha256")
          .update(readFileSync(onDisk(directory, path)))
          .digest(),
      );
  };
  try {
    for (const path of COUNTED) add(path);
  } catch {
    return undefined; // the agent has closed a directory to us: it has changed something
  }
  return left < 0 ? undefined : hash.digest("hex");
}
