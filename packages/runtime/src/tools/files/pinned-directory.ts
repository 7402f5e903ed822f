import { constants, type Dirent, existsSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { hasCode } from "./file-error.ts";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

const hasDescriptorPaths = existsSync("/proc/self/fd");

/**
 * A directory held by a descriptor, so swapping its path for a link does not affect the holder.
 *
 * Node has no `openat`; on Linux `/proc/self/fd/<number>/<name>` is equivalent. Elsewhere the path is used, and only the check of each
 * component protects against a swap.
 */
export class PinnedDirectory {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** The last component must not be a link. */
  static async open(path: string, realPath = path): Promise<PinnedDirectory> {
    return new PinnedDirectory(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), realPath);
  }

  /** Path to pass to a system call for an entry of this directory: a single name, or `.` for the directory itself. */
  at(name: string): string {
    // A name is never a path: a slash or `..` in it would lead out of the directory.
    if (name === "" || name === ".." || name.includes("/") || name.includes("\0"))
      throw new CaretError("invalid-request", `${JSON.stringify(name)} is not a file name`);
    return hasDescriptorPaths ? `/proc/self/fd/${this.#handle.fd}/${name}` : join(this.#path, name);
  }

  enter(name: string): Promise<PinnedDirectory> {
    return PinnedDirectory.open(this.at(name), join(this.#path, name));
  }

  async enterOrCreate(name: string): Promise<PinnedDirectory> {
    try {
      return await this.enter(name);
    } catch (reason) {
      if (!hasCode(reason, "ENOENT")) throw reason;
    }
    await mkdir(this.at(name)).catch((reason: unknown) => {
      if (!hasCode(reason, "EEXIST")) throw reason; // another process created it first
    });
    return this.enter(name);
  }

  /** Target of a symbolic link; undefined for anything else. */
  async linkTarget(name: string): Promise<string | undefined> {
    try {
      return await readlink(this.at(name));
    } catch (reason) {
      if (hasCode(reason, "EINVAL", "ENOENT", "ENOTDIR", "UNKNOWN")) return undefined;
      throw reason;
    }
  }

  /** Opens a regular file. Never blocks: opening a named pipe without a writer would wait forever. */
  async openFile(name: string): Promise<FileHandle> {
    const file = await open(this.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = await file.stat().catch(async (reason: unknown) => {
      await file.close();
      throw reason;
    });
    if (stat.isFile()) return file;
    await file.close();
    throw new CaretError("invalid-request", `${name} is ${stat.isDirectory() ? "a directory" : "not a regular file"}`);
  }

  /** Sorted by name, so every walk has the same order. */
  async list(): Promise<readonly Dirent[]> {
    const entries = await readdir(this.at("."), { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
