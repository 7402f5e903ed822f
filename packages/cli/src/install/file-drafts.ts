import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { CaretError } from "@caret/protocol";

const PERMISSIONS = 0o777;
const PRIVATE = 0o600;

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

  read(path: string): string | undefined {
    const draft = this.#after.get(path);
    if (draft !== undefined) return draft.text;
    if (!this.#before.has(path)) this.#before.set(path, readText(path));
    return this.#before.get(path);
  }

  /** The permissions of a file as it is; undefined where there is none. */
  mode(path: string): number | undefined {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : stat.mode & PERMISSIONS;
  }

  /** A new file is readable to its owner only, unless `mode` says otherwise. */
  write(path: string, text: string | undefined, mode = this.mode(path) ?? PRIVATE): void {
    this.read(path);
    this.#after.set(path, { text, mode });
  }

  changes(): readonly Draft[] {
    const drafts = [...this.#after].map(([path, { text, mode }]) => ({
      path,
      before: this.#before.get(path),
      after: text,
      mode,
    }));
    return drafts.filter(
      ({ path, before, after, mode }) => before !== after || (after !== undefined && mode !== this.mode(path)),
    );
  }

  /** Gives the directories that had to be made, the outermost first. */
  commit(): readonly string[] {
    const made: string[] = [];
    for (const { path, after, mode } of this.changes()) {
      if (after === undefined) rmSync(path, { force: true });
      else {
        made.push(...makeDirectories(dirname(path)));
        replaceFile(path, after, mode);
      }
    }
    return made;
  }
}

export function digestText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Undefined where there is no file. Throws where it is not text: writing it back would change it. */
function readText(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CaretError("invalid-request", `${path} cannot be read as text`, {
      cause: reason,
      fix: "Nothing was changed. Repair the file first.",
    });
  }
}

function makeDirectories(directory: string): readonly string[] {
  if (existsSync(directory)) return [];
  const outer = makeDirectories(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
  return [...outer, directory];
}

/** Through a temporary file in the same directory, so that a reader never sees half of it. A link stays one. */
function replaceFile(path: string, text: string, mode: number): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const draft = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { mode: PRIVATE, flag: "wx" });
    // The mask of the process is not the file's.
    chmodSync(draft, mode);
    renameSync(draft, target);
  } catch (reason) {
    rmSync(draft, { force: true });
    throw reason;
  }
}
