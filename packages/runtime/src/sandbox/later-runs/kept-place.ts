import { createHash } from "node:crypto";
import { join } from "node:path";
import { type BytePath, onDisk } from "../../git/byte-path.ts";

/** The kernel takes no longer path, and what stands beside a file needs some of it. */
const MAX_PATH = 3_900;

/** Where below `place` a file of the workspace is kept: under its own path, or under a digest where that would be too long. */
export function keptPlace(place: string, path: BytePath): Buffer {
  const own = onDisk(place, path);
  if (own.length <= MAX_PATH) return own;
  return Buffer.from(join(place, "long-paths", createHash("sha256").update(path).digest("hex")));
}
