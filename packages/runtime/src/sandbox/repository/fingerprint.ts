import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { inSlices } from "../../async/in-slices.ts";
import { type BytePath, onDisk } from "../../git/byte-path.ts";

/** All that a turn can change of its repository so that something has to be brought over. */
const COUNTED = ["HEAD", "index", "packed-refs", "refs", "logs/refs/stash", "worktrees"];
const MAX_FILES = 10_000;

/** The same before and after a turn that has changed nothing; undefined where there is too much to compare. */
export async function fingerprint(directory: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  const waiting: BytePath[] = [...COUNTED];
  const add = (path: BytePath): void => {
    const stat = lstatSync(onDisk(directory, path), { throwIfNoEntry: false });
    if (stat === undefined || waiting.length > MAX_FILES) return;
    hash.update(`${path}\0${stat.mode}\0`);
    if (stat.isDirectory())
      for (const name of readdirSync(onDisk(directory, path), { encoding: "latin1" }).sort())
        waiting.push(`${path}/${name}`);
    else if (stat.isFile())
      hash.update(
        createHash("sha256")
          .update(readFileSync(onDisk(directory, path)))
          .digest(),
      );
  };
  try {
    await inSlices(taken(waiting), add);
  } catch {
    return undefined; // the agent has closed a directory to us: it has changed something
  }
  return waiting.length > MAX_FILES ? undefined : hash.digest("hex");
}

/** The list may grow meanwhile. */
function* taken(waiting: readonly BytePath[]): Iterable<BytePath> {
  for (let at = 0; at < waiting.length && waiting.length <= MAX_FILES; at += 1) yield waiting[at] ?? "";
}
