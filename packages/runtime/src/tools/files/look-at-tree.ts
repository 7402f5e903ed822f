import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { CaretError } from "@caret/protocol";
import type { ConfinedPath } from "./confined-path.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

/** Beyond this, entries are no longer counted. */
const MAX_ENTRIES = 20_000;

/** A summary of an entry, enough for a person to approve its deletion. */
export interface Tree {
  readonly kind: "directory" | "file" | "other";
  readonly files: number;
  readonly bytes: bigint;
  /** Counting stopped early; there is more. */
  readonly isCut: boolean;
  /** Differs between states of the tree. */
  readonly state: string;
}

export interface LookOptions {
  /** As the caller wrote it, for messages. */
  readonly path: string;
  readonly recursive: boolean;
  readonly signal: AbortSignal;
}

/** Fails for a non-empty directory unless `recursive`: it could not be deleted either. */
export async function lookAtTree({ directory, name }: ConfinedPath, options: LookOptions): Promise<Tree> {
  const stat = await lstat(directory.at(name), { bigint: true });
  if (!stat.isDirectory()) {
    const kind = stat.isFile() ? "file" : "other";
    return { kind, files: 1, bytes: stat.size, isCut: false, state: identityOf(stat) };
  }
  const walk = new TreeWalk(options.signal);
  await walk.into(directory, name, name);
  if (!options.recursive && walk.entries > 0) throw new CaretError("invalid-request", `${options.path} is not empty`);
  return walk.result();
}

export function treeWords({ kind, files, bytes, isCut }: Tree): string {
  if (kind === "file") return `a file of ${bytes} bytes`;
  if (kind === "other") return "a link, or something else that is no file";
  if (files === 0) return "a directory without files";
  const count = files === 1 ? "1 file" : `${files} files`;
  return `a directory with ${isCut ? "more than " : ""}${count}, ${bytes} bytes`;
}

class TreeWalk {
  readonly #hash = createHash("sha256");
  readonly #signal: AbortSignal;
  entries = 0;
  #files = 0;
  #bytes = 0n;
  #isCut = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async into(parent: PinnedDirectory, name: string, path: string): Promise<void> {
    const directory = await parent.enter(name);
    try {
      for (const entry of await directory.list()) {
        this.#signal.throwIfAborted();
        if (this.entries >= MAX_ENTRIES) {
          this.#isCut = true;
          return;
        }
        await this.#take(directory, entry.name, `${path}/${entry.name}`);
      }
    } finally {
      await directory.close();
    }
  }

  result(): Tree {
    const state = this.#hash.digest("base64url");
    return { kind: "directory", files: this.#files, bytes: this.#bytes, isCut: this.#isCut, state };
  }

  async #take(directory: PinnedDirectory, name: string, path: string): Promise<void> {
    const stat = await lstat(directory.at(name), { bigint: true });
    this.entries += 1;
    if (stat.isDirectory()) {
      this.#hash.update(`${path}/\0`);
      return await this.into(directory, name, path);
    }
    this.#files += 1;
    this.#bytes += stat.size;
    this.#hash.update(`${path}\0${identityOf(stat)}\0`);
  }
}

function identityOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}
