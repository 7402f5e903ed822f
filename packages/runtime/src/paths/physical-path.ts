import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * The way from a directory to a path in it: empty for the directory itself, undefined when the path is not inside.
 *
 * It compares spellings. A caller who must not be led out by a link resolves both paths first.
 */
export function wayInside(directory: string, path: string): string | undefined {
  const way = relative(directory, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}

/**
 * The name of the directory that holds a workspace's chats: the MD5 of its physical path. A workspace reached through
 * a link, or written with a slash at the end, is the same workspace.
 */
export function workspaceHash(path: string): string {
  return createHash("md5").update(physicalPath(path)).digest("hex");
}

export function physicalPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // The workspace is gone; its chats may still be there under the name it had.
    return resolve(path);
  }
}
