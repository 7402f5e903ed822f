import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { CaretError } from "@caret/protocol";
import type { ConfinedPath } from "./confined-path.ts";
import { hasCode } from "./file-error.ts";

const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;

/** Rejects if the entry exists and is not a regular file. Resolves with its stats, if it exists. */
export async function assertReplaceable({ directory, name, path }: ConfinedPath): Promise<Stats | undefined> {
  const existing = await statIfPresent(directory.at(name));
  if (existing !== undefined && !existing.isFile())
    throw new CaretError("invalid-request", `${path || "The workspace"} is not a regular file and cannot be written`);
  return existing;
}

/**
 * Writes a file atomically: readers see either the old content or the new. Writes a temporary file next to it and renames it. Keeps an
 * existing file's mode.
 */
export async function replaceFile(target: ConfinedPath, content: string | Uint8Array): Promise<void> {
  const { directory, name } = target;
  const existing = await assertReplaceable(target);
  const temporary = directory.at(`.caret-${randomUUID()}.tmp`);
  const file = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
  try {
    try {
      await file.writeFile(content);
      if (existing !== undefined) await file.chmod(existing.mode & 0o7777);
    } finally {
      await file.close();
    }
    await rename(temporary, directory.at(name));
  } catch (reason) {
    await rm(temporary, { force: true });
    throw reason;
  }
}

async function statIfPresent(address: string): Promise<Stats | undefined> {
  try {
    return await lstat(address);
  } catch (reason) {
    if (hasCode(reason, "ENOENT")) return undefined;
    throw reason;
  }
}
