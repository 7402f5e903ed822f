import { copyFileSync, existsSync, statSync, utimesSync } from "node:fs";

/**
 * Copies the index with its time. Git reads a file again that is as new as the index, because its size and its time alone do not tell
 * whether it has changed since: with a newer index such a change would be overlooked.
 */
export function copyIndex(index: string, copy: string): void {
  if (!existsSync(index)) return;
  const { atime, mtime } = statSync(index);
  copyFileSync(index, copy);
  utimesSync(copy, atime, mtime);
}
