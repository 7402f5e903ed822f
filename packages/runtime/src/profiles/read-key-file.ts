import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { CaretError } from "@caret/protocol";

const MAX_BYTES = 16 * 1024;
const FOR_OTHERS = 0o077;

export interface KeyFile {
  readonly name: string;
  readonly path: string;
  readonly uid: number | undefined;
}

/** The text of a key file that is the user's alone. */
export async function readKeyFile(file: KeyFile): Promise<string> {
  const handle = await openKeyFile(file);
  try {
    await assertPrivate(handle, file);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

async function openKeyFile(file: KeyFile): Promise<FileHandle> {
  try {
    // Checked through the open handle, so that nobody can swap the file in between. A pipe must not hold us up.
    return await open(file.path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw refusal(file, missing ? "does not exist" : "cannot be opened", `Write the API key to ${file.path}.`, cause);
  }
}

async function assertPrivate(handle: FileHandle, file: KeyFile): Promise<void> {
  const stats = await handle.stat();
  const { path, uid } = file;
  if (!stats.isFile() || stats.size > MAX_BYTES)
    throw refusal(file, "is not a file with a key in it", `Write the API key, and nothing else, to ${path}.`);
  if (uid === undefined) return;
  if (stats.uid !== uid)
    throw refusal(file, "belongs to another user", `Take it over: chown ${uid} '${path}' && chmod 600 '${path}'`);
  if ((stats.mode & FOR_OTHERS) !== 0)
    throw refusal(file, "can be read or changed by other users", `Close it: chmod 600 '${path}'`);
}

function refusal({ name, path }: KeyFile, fault: string, fix: string, cause?: unknown): CaretError {
  return new CaretError("invalid-config", `The key file ${path} of the profile ${name} ${fault}`, { fix, cause });
}
