import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { CaretError } from "@caret/protocol";
import { type FileTarget, findTarget } from "./file-target.ts";
import { readRegularFile } from "./read-regular-file.ts";

/** The permissions of a file with secrets in it. */
export const PRIVATE = 0o600;

export interface Draft {
  readonly path: string;
  /** Undefined: there is no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly mode: number;
}

/** Changes of files that are written together, after all of them have been found possible. */
export class FileDrafts {
  readonly #before = new Map<string, string | undefined>();
  readonly #after = new Map<string, { readonly text: string | undefined; readonly mode: number }>();
  readonly #targets = new Map<string, FileTarget>();
  readonly #kept: string[] = [];

  read(path: string): string | undefined {
    const draft = this.#after.get(path);
    if (draft !== undefined) return draft.text;
    if (!this.#before.has(path)) this.#before.set(path, readText(path));
    return this.#before.get(path);
  }

  /** The permissions of a file as it is drafted; undefined where there is none. */
  mode(path: string): number | undefined {
    const draft = this.#after.get(path);
    if (draft === undefined) return this.#target(path).mode;
    return draft.text === undefined ? undefined : draft.mode;
  }

  /** A new file is readable to its owner only, unless `mode` says otherwise. Throws where it could not be written. */
  write(path: string, text: string | undefined, mode = this.mode(path) ?? PRIVATE): void {
    this.read(path);
    this.#target(path).assertReplaceable();
    this.#after.set(path, { text, mode });
  }

  /** Copies that stay beside files which go. */
  get kept(): readonly string[] {
    return this.#kept;
  }

  /** Keeps what stands in a file beside it, under a name that nothing has. */
  keepBeside(path: string): void {
    const copy = freeName(`${path}.edited`);
    this.write(copy, this.read(path), this.mode(path));
    this.#kept.push(copy);
  }

  changes(): readonly Draft[] {
    const drafts = [...this.#after].map(([path, { text, mode }]) => ({
      path,
      before: this.#before.get(path),
      after: text,
      mode,
    }));
    return drafts.filter(
      ({ path, before, after, mode }) => before !== after || (after !== undefined && mode !== this.#target(path).mode),
    );
  }

  /** Gives the directories that had to be made, the outermost first. */
  commit(): readonly string[] {
    const made: string[] = [];
    for (const { path, before, after, mode } of this.changes()) {
      // Clients write their settings too. What one has written since it was read here would be lost.
      if (readText(path) !== before)
        throw new CaretError("storage-failed", `Another program has changed ${path} in the meantime`, {
          fix: "Run the command again.",
        });
      const target = this.#target(path);
      if (after === undefined) rmSync(target.path, { force: true });
      else {
        made.push(...makeDirectories(dirname(target.path)));
        replaceFile(target, after, mode);
      }
    }
    return made;
  }

  #target(path: string): FileTarget {
    const known = this.#targets.get(path);
    if (known !== undefined) return known;
    const target = findTarget(path);
    this.#targets.set(path, target);
    return target;
  }
}

export function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Undefined where there is no file. Throws where it is not text: writing it back would change it. A pipe is not waited for. */
function readText(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readRegularFile(path));
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (CaretError.is(reason)) throw reason;
    throw new CaretError("invalid-request", `${path} cannot be read as text`, {
      cause: reason,
      fix: "Nothing was changed. Repair the file first.",
    });
  }
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}-${number}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

function makeDirectories(directory: string): readonly string[] {
  if (existsSync(directory)) return [];
  const outer = makeDirectories(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
  return [...outer, directory];
}

/** Through a temporary file in the same directory, so that a reader never sees half of it. A file with several names keeps them. */
function replaceFile(target: FileTarget, text: string, mode: number): void {
  const { path, owner, hasOtherNames } = target;
  if (hasOtherNames) return overwriteFile(path, text, mode);
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { mode: PRIVATE, flag: "wx" });
    // Only root gets here with a file of another user's, who has to be able to read it.
    if (owner !== undefined) chownSync(draft, owner.uid, owner.gid);
    // The mask of the process is not the file's.
    chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (reason) {
    rmSync(draft, { force: true });
    throw reason;
  }
}

/** In its place: a new file would be one of the names alone. What cannot be written whole is as it was. */
function overwriteFile(path: string, text: string, mode: number): void {
  const former = readFileSync(path);
  try {
    writeFileSync(path, text, { flag: "r+" });
    truncateSync(path, Buffer.byteLength(text));
    chmodSync(path, mode);
  } catch (reason) {
    writeFileSync(path, former, { flag: "r+" });
    truncateSync(path, former.length);
    throw reason;
  }
}
