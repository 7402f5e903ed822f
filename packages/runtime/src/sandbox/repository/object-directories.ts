import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { physicalPath } from "../../paths/physical-path.ts";

/** As deep as git follows alternates of alternates. */
const MAX_DEPTH = 5;
const MAX_DIRECTORIES = 32;

/** What a directory of objects holds, and nothing else does. */
const OF_OBJECTS = /^(?:[0-9a-f]{2}|pack|info|incoming-.*|tmp_.*|\.tmp.*|maintenance\.lock|\.DS_Store)$/;

/**
 * The directory of objects and its alternates, as git follows them; or why they cannot be mounted. One that holds anything
 * but objects is refused: a hostile repository could name a person's home directory.
 */
export function objectDirectories(first: string): readonly string[] | string {
  const found = new Set<string>();
  let next = [physicalPath(first)];
  for (let depth = 0; depth <= MAX_DEPTH && next.length > 0; depth += 1) {
    for (const path of next) {
      if (found.size >= MAX_DIRECTORIES) return "it has too many alternates";
      const strange = listed(path)?.find((name) => !OF_OBJECTS.test(name));
      if (strange !== undefined) return `${path} holds ${strange}, which is no object`;
      found.add(path);
    }
    next = next.flatMap(alternatesOf).filter((path) => !found.has(path) && listed(path) !== undefined);
  }
  return [...found];
}

/** One path on each line; `#` begins a comment, and quotes stand around what is not plain. */
function alternatesOf(directory: string): readonly string[] {
  return readText(join(directory, "info", "alternates"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith('"'))
    .map((line) => physicalPath(resolve(directory, line)));
}

/** Undefined where there is nothing to be listed. */
function listed(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory);
  } catch {
    return undefined; // an alternate that is gone: git does without it
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it has no alternates
  }
}
