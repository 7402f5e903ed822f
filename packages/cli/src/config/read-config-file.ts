import { readFileSync, statSync } from "node:fs";

const MAX_BYTES = 1024 * 1024;

/** The text of a configuration file, or nothing when there is none. Throws when it is there but cannot be read. */
export type ReadConfigFile = (path: string) => string | undefined;

export function readConfigFile(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  // A repository may make its file a link to a device that never ends.
  if (!stats.isFile()) throw new Error("it is not a file");
  if (stats.size > MAX_BYTES) throw new Error("it is too large");
  return readFileSync(path, "utf8");
}
