import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What fits into the address of a Unix socket on every system: 104 bytes on macOS, 108 on Linux, with their end. */
const LONGEST_PATH = 100;

/** Where a Unix socket is made: in the directory, or in a new one of ours below the temporary one where that path is too long. */
export function socketPathIn(directory: string, name: string): string {
  const path = join(directory, name);
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : join(mkdtempSync(join(tmpdir(), "caret-")), name);
}
