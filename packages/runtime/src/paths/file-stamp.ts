import { statSync } from "node:fs";

/** Changes with every change of a file that is written by renaming a new one over it. */
export function fileStamp(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "none" : `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
}
