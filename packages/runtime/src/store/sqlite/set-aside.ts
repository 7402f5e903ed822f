import { existsSync, renameSync } from "node:fs";
import { basename } from "node:path";

/**
 * Put a database that cannot be used aside, with its journals, so that it can be examined and a new one takes its place.
 * Gives the name it has from now on.
 */
export function setAside(path: string, now: () => number): string {
  const aside = `${path}.corrupt-${new Date(now()).toISOString().replaceAll(":", "-")}`;
  for (const suffix of ["", "-wal", "-shm", "-journal"])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return basename(aside);
}
