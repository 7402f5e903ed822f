import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  writeSync,
} from "node:fs";
import { CaretError } from "@caret/protocol";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const CHUNK = 1024 * 1024;
const ZEROS = Buffer.alloc(CHUNK);
const SECTOR = 512;
/** A file of this size with less than a hundredth of it on the disk is a hole: to read it all would take hours. */
const MOSTLY_HOLE = { bytes: 1024 * 1024 * 1024, ratio: 100 };

/** Why a file is not in a copy. */
export class NotCopied extends Error {}

/** Copies the bytes of a file, and leaves holes where it has them; gives its size. Throws `NotCopied` for what cannot be read. */
export function copyFile(source: Buffer, target: Buffer): number {
  const from = reading(() => openSync(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  try {
    const stat = fstatSync(from);
    if (!stat.isFile()) throw new NotCopied("no regular file");
    if (isMostlyHole(stat)) throw new NotCopied("almost nothing but a hole");
    return writeCopy(from, target, stat);
  } finally {
    closeSync(from);
  }
}

function isMostlyHole({ size, blocks }: Stats): boolean {
  return size > MOSTLY_HOLE.bytes && blocks * SECTOR * MOSTLY_HOLE.ratio < size;
}

function writeCopy(from: number, target: Buffer, { mode, size: most }: Stats): number {
  const to = openSync(target, "wx", 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK);
    let at = 0;
    // What grows meanwhile is copied as long as it was.
    while (at < most) {
      const count = reading(() => readSync(from, chunk, 0, Math.min(CHUNK, most - at), at));
      if (count === 0) break;
      const bytes = chunk.subarray(0, count);
      if (!bytes.equals(ZEROS.subarray(0, count))) writeAll(to, bytes, at);
      at += count;
    }
    ftruncateSync(to, at);
    fchmodSync(to, mode & 0o777);
    return at;
  } finally {
    closeSync(to);
  }
}

function writeAll(to: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(to, bytes, done, bytes.length - done, at + done);
}

/** What fails in reading is the file's; what fails in writing is the copy's. */
function reading<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (reason) {
    const { code = "" } = reason as NodeJS.ErrnoException;
    if (code === "ENOENT") throw reason;
    throw new NotCopied(`it cannot be read (${code})`, { cause: reason });
  }
}

/** For the errors of the copy itself. */
export function copyFailed(source: string, reason: unknown): CaretError {
  return new CaretError("storage-failed", `${source} could not be copied: ${(reason as Error).message}`, {
    cause: reason,
    fix: "Free some disk space or choose another disk, and try again.",
  });
}
