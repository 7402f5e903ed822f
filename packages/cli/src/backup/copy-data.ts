import { lstatSync, mkdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { copyDatabaseFile, DATABASE_FILES } from "@caret/runtime";
import { copyFailed, copyFile, NotCopied } from "./copy-file.ts";
import { entriesOf } from "./entries-of.ts";

/** Directories and files that only processes which run now need, or that another place keeps: worktrees are in their repositories. */
const leftOut: ReadonlySet<string> = new Set([
  "caret.lock",
  "caret.open",
  "gateway.json",
  "owners",
  "processes",
  "worktrees",
]);

/** A journal belongs to a database, which is copied with what is in it; a copy from before an upgrade is a copy already. */
const BESIDE_DATABASE = /^(?:-wal|-shm|-journal|\.schema-\d+|\.schema-\d+\.tmp)$/;

export interface SkippedFile {
  readonly path: string;
  readonly why: string;
}

export interface CopiedData {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: readonly SkippedFile[];
}

/**
 * Copies what is below a data directory. Only Caret's own databases, which are known by their names, are opened as such: whatever else is
 * there may be an agent's, and is bytes. What cannot be read, and what is no file, is named, and does not keep the rest from being copied.
 */
export function copyData(dataDir: string, draft: string, checkLink: (link: string) => void): CopiedData {
  const copy = new DataCopy();
  for (const entry of entriesOf(dataDir)) {
    const name = entry.toString();
    if (leftOut.has(name) || DATABASE_FILES.some((file) => isBeside(file, name))) continue;
    const source = join(dataDir, name);
    const target = Buffer.from(join(draft, name));
    const stat = behindLink(source, checkLink);
    if (DATABASE_FILES.includes(name) && stat?.isFile() === true) copy.database(source, target.toString());
    else if (stat !== undefined) copy.any(Buffer.from(realpathSync(source)), target);
  }
  return copy;
}

function isBeside(database: string, name: string): boolean {
  return name.startsWith(database) && BESIDE_DATABASE.test(name.slice(database.length));
}

/** What its owner has moved to another disk is a part of the data. */
function behindLink(path: string, check: (link: string) => void): Stats | undefined {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry?.isSymbolicLink() !== true) return entry;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new CaretError("storage-failed", `${path} leads to nothing`, {
      fix: "Mount the disk that it leads to, or remove the link, and try again.",
    });
  check(path);
  return stat;
}

class DataCopy implements CopiedData {
  files = 0;
  bytes = 0;
  readonly skipped: SkippedFile[] = [];

  database(source: string, target: string): void {
    try {
      copyDatabaseFile(source, target);
    } catch (reason) {
      throw copyFailed(source, reason);
    }
    this.files += 1;
    this.bytes += statSync(target).size;
  }

  /** Further below than the first level, links are an agent's. What its owner has removed since it was listed is no loss. */
  any(source: Buffer, target: Buffer): void {
    try {
      this.#copy(source, target);
    } catch (reason) {
      const why = whyNot(source, reason);
      if (why !== undefined) this.skipped.push({ path: source.toString(), why });
    }
  }

  #copy(source: Buffer, target: Buffer): void {
    const stat = lstatSync(source);
    if (stat.isDirectory()) this.#directory(source, target);
    else if (stat.isFile()) this.#file(source, target);
    else throw new NotCopied(stat.isSymbolicLink() ? "a link" : "no regular file");
  }

  #directory(source: Buffer, target: Buffer): void {
    const names = listed(source);
    mkdirSync(target, { mode: 0o700 });
    for (const name of names) this.any(below(source, name), below(target, name));
  }

  #file(source: Buffer, target: Buffer): void {
    this.bytes += copyFile(source, target);
    this.files += 1;
  }
}

function below(directory: Buffer, name: Buffer): Buffer {
  return Buffer.concat([directory, Buffer.from("/"), name]);
}

function listed(directory: Buffer): readonly Buffer[] {
  try {
    return entriesOf(directory);
  } catch (reason) {
    throw new NotCopied(`it cannot be read (${(reason as NodeJS.ErrnoException).code})`, { cause: reason });
  }
}

/** Undefined: it is gone. Throws where it is not the file that is at fault. */
function whyNot(source: Buffer, reason: unknown): string | undefined {
  if (reason instanceof NotCopied) return reason.message;
  const { code } = reason as NodeJS.ErrnoException;
  if (code === "ENOENT") return undefined;
  if (code === "ENAMETOOLONG") return "its path is too long";
  throw copyFailed(source.toString(), reason);
}
