import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const BLOCK = 1024 * 1024;
/** Names a directory without the right to read it; Node has no word for it. */
const O_PATH = 0o10_000_000;

/** A name need not be text: bytes are. */
export type FileName = string | Buffer;

/**
 * Opens a path that others may exchange for a link at any moment. What was opened is asked for its name: the kernel gives the
 * one that leads to it without a link, so that nothing that lies elsewhere is ever read. Undefined where there is nothing of that name.
 */
export function openByTrueName(path: FileName, flags = FLAGS): number | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags);
  } catch {
    return undefined; // there is nothing, or a link, or nothing for us
  }
  const name = readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: "buffer" });
  if (name.equals(Buffer.from(path))) return descriptor;
  closeSync(descriptor);
  return undefined;
}

/** Opens to us a directory of ours that was closed to its own user. False where it is not ours, or not there under that very name. */
export function openUp(path: FileName): boolean {
  const descriptor = openByTrueName(path, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  if (descriptor === undefined) return false;
  try {
    chmodSync(`/proc/self/fd/${descriptor}`, (fstatSync(descriptor).mode & 0o777) | 0o700);
    return true;
  } catch {
    return false; // another user's
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a path leads where it says, without a link, just now. */
export function isTrueName(path: string): boolean {
  const descriptor = openByTrueName(path);
  if (descriptor !== undefined) closeSync(descriptor);
  return descriptor !== undefined;
}

/** Does something in a directory that is held open meanwhile, so that no link can be put in its place. False where it is not there. */
export function inTrueDirectory(path: FileName, work: (directory: string) => void): boolean {
  const descriptor = openByTrueName(path);
  if (descriptor === undefined) return false;
  try {
    work(`/proc/self/fd/${descriptor}`);
    return true;
  } finally {
    closeSync(descriptor);
  }
}

/** Copies a plain file, if there is one under that very name and it is no larger. */
export function copyByTrueName(from: FileName, to: FileName, maxBytes: number): void {
  const source = openByTrueName(from);
  if (source === undefined) return;
  try {
    const stat = fstatSync(source);
    if (!stat.isFile() || stat.size > maxBytes) return;
    mkdirSync(directoryOf(to), { recursive: true, mode: 0o700 });
    const target = openSync(to, "w", 0o600 | (stat.mode & 0o100));
    try {
      const block = Buffer.allocUnsafe(Math.min(BLOCK, stat.size + 1));
      let left = maxBytes;
      for (let size = readSync(source, block); size > 0 && left > 0; size = readSync(source, block)) {
        writeSync(target, block, 0, Math.min(size, left));
        left -= size;
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

/** The content of a plain file, if there is one under that very name and it is no larger. */
export function readByTrueName(path: FileName, maxBytes: number): Buffer | undefined {
  const descriptor = openByTrueName(path);
  if (descriptor === undefined) return undefined;
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** What is in a directory, if it is one under that very name. */
export function listByTrueName(path: string): readonly string[] | undefined {
  const descriptor = openByTrueName(path);
  if (descriptor === undefined) return undefined;
  try {
    return fstatSync(descriptor).isDirectory() ? readdirSync(`/proc/self/fd/${descriptor}`) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Copies a tree of plain files and directories, as long as there is room for it; links and all else are left out. */
export function copyTreeByTrueName(from: string, to: string, left: { bytes: number; files: number }): void {
  const names = listByTrueName(from);
  if (names === undefined) {
    if (left.files <= 0) return;
    left.files -= 1;
    copyByTrueName(from, to, left.bytes);
    left.bytes -= sizeOf(to);
    return;
  }
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of names) if (left.files > 0) copyTreeByTrueName(join(from, name), join(to, name), left);
}

function sizeOf(path: string): number {
  const descriptor = openByTrueName(path);
  if (descriptor === undefined) return 0;
  const { size } = fstatSync(descriptor);
  closeSync(descriptor);
  return size;
}

/** As `dirname` does for text. */
export function directoryOf(path: FileName): FileName {
  return typeof path === "string" ? dirname(path) : path.subarray(0, path.lastIndexOf("/"));
}
