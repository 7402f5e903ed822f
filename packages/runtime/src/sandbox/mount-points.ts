import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { CaretError, isJsonObject, parseJson } from "@caret/protocol";
import { makePrivateDirectory, writePrivateFile } from "../paths/private-files.ts";
import { withFileLock } from "../paths/with-file-lock.ts";
import { isHolderAlive, thisProcess } from "./holder.ts";
import { inTrueDirectory } from "./true-name.ts";

/** What to make where there is nothing; a file has this content. */
export type Missing = { readonly kind: "directory" } | { readonly kind: "file"; readonly content: string };

/** What was made in a workspace, and exactly that: something of the same name that is not it is the user's. */
interface Receipt {
  readonly path: string;
  readonly missing: Missing;
  /** Device and inode; absent when Caret died between announcing it and making it. */
  readonly made?: string;
}

/**
 * Empty directories and files that must stand in a workspace while something is mounted over them. Each is written down
 * before anything is mounted, by the process that needs it, and removed when no living process needs it any more: at
 * the end of the turn, or at the next start when Caret was killed meanwhile.
 *
 * Removing one that is still mounted over elsewhere would unmount it there, so turns that share a workspace share it.
 */
export interface MountPoints {
  /** Resolves with what gives it back. `holder` is a name that is used once. */
  hold(path: string, missing: Missing, holder: string): Promise<() => Promise<void>>;
  /** Removes those of processes that have died. */
  sweep(): Promise<void>;
}

export function openMountPoints(directory: string): MountPoints {
  const placeOf = (path: string): string =>
    join(directory, createHash("sha256").update(path).digest("hex").slice(0, 32));

  const release = (place: string, holder: string): Promise<void> =>
    withFileLock(place, () => {
      rmSync(join(place, holder), { force: true });
      removeUnheld(place);
    });

  return {
    async hold(path, missing, holder) {
      const place = placeOf(path);
      // The user's own: what another turn makes is written down before it is there, and as long as it is.
      if (existsSync(path) && !existsSync(place)) return async () => undefined;
      makePrivateDirectory(directory);
      await withFileLock(place, () => {
        makePrivateDirectory(place);
        writeFileSync(join(place, holder), thisProcess(), { mode: 0o600 });
        if (readReceipt(place) === undefined) make(path, missing, place);
      });
      return () => release(place, holder);
    },
    async sweep() {
      for (const name of listed(directory)) {
        const place = join(directory, name);
        if (!lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) continue;
        await withFileLock(place, () => removeUnheld(place));
      }
    },
  };
}

const RECEIPT = "receipt.json";

/** Nothing is written where the path exists: then it is the user's, and stays. */
function make(path: string, missing: Missing, place: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  const note = (receipt: Receipt): void => writePrivateFile(join(place, RECEIPT), JSON.stringify(receipt));
  note({ path, missing });
  try {
    const isThere = inTrueDirectory(dirname(path), (directory) => makeIn(join(directory, basename(path)), missing));
    if (!isThere) throw new RangeError(`${dirname(path)} is a link, or gone`);
  } catch (cause) {
    rmSync(place, { recursive: true, force: true });
    throw new CaretError("workspace-forbidden", `A sandbox needs ${path} to mount over, and it cannot be made`, {
      fix: "Make it yourself, or choose a turn without a sandbox.",
      cause,
    });
  }
  note({ path, missing, made: inodeOf(path) ?? "" });
}

function makeIn(path: string, missing: Missing): void {
  if (missing.kind === "directory") mkdirSync(path, { mode: 0o755 });
  else writeFileSync(path, missing.content, { flag: "wx", mode: 0o644 });
}

function inodeOf(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}

function removeUnheld(place: string): void {
  const holders = listed(place).filter((name) => name !== RECEIPT);
  const living = holders.filter((name) => isHolderAlive(readText(join(place, name))));
  for (const name of holders) if (!living.includes(name)) rmSync(join(place, name), { force: true });
  if (living.length > 0) return;
  const receipt = readReceipt(place);
  if (receipt !== undefined) removeIfOurs(receipt);
  rmSync(place, { recursive: true, force: true });
}

/** A directory with anything in it, or a file with other content, is no longer only ours. */
function removeIfOurs({ path, missing, made }: Receipt): void {
  const inode = inodeOf(path);
  if (inode === undefined || (made !== undefined && inode !== made)) return;
  try {
    if (missing.kind === "directory") rmdirSync(path);
    else if (readText(path) === missing.content) unlinkSync(path);
  } catch {
    // It has become the user's: there is something in it, or its directory can no longer be written.
  }
}

/** Ours alone wrote it, whole or not at all. */
function readReceipt(place: string): Receipt | undefined {
  const value = parseJson(readText(join(place, RECEIPT)));
  return isJsonObject(value) ? (value as unknown as Receipt) : undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it is gone: another process has removed it
  }
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // nothing was ever made
  }
}
