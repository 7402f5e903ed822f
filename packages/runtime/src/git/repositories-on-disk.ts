import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { type BytePath, onDisk } from "./byte-path.ts";

const GIT = Buffer.from(".git");

/**
 * Directories below the top that have something called `.git`: submodules, and repositories that Git may not even see since it skips that
 * name. Empty ones of submodules that are not checked out are none. Directories that are named already, with a slash, are left out;
 * one that cannot be read may be one, too.
 */
export async function repositoriesOnDisk(top: string, leftOut: ReadonlySet<BytePath>): Promise<readonly BytePath[]> {
  const look = async (directory: BytePath): Promise<readonly BytePath[]> => {
    const entries = await entriesOf(top, directory);
    if (entries === undefined) return [directory];
    const own = directory !== "" && entries.some(({ name }) => name.equals(GIT)) ? [directory] : [];
    const below = entries
      .filter((entry) => entry.isDirectory() && !entry.name.equals(GIT))
      .map(({ name }) => (directory === "" ? "" : `${directory}/`) + name.toString("latin1"));
    const found: BytePath[] = [...own];
    for (const path of below) if (!leftOut.has(`${path}/`)) found.push(...(await look(path)));
    return found;
  };
  return await look("");
}

/** Undefined where they cannot be read. */
async function entriesOf(top: string, directory: BytePath): Promise<readonly Dirent<Buffer>[] | undefined> {
  const options = { withFileTypes: true, encoding: "buffer" } as const;
  try {
    return await readdir(directory === "" ? Buffer.from(top) : onDisk(top, directory), options);
  } catch {
    return undefined; // what is in it is not known to be elsewhere
  }
}
