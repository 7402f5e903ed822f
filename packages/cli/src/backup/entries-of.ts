import { readdirSync } from "node:fs";

/** Names as the disk has them: they need not be UTF-8. None of a directory that is gone. */
export function entriesOf(directory: string | Buffer): readonly Buffer[] {
  try {
    return readdirSync(directory, { encoding: "buffer" });
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw reason;
  }
}
