import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";

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
