import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { CaretError, Secret } from "@caret/protocol";
import { runKeyCommand } from "./run-key-command.ts";

const MAX_BYTES = 16 * 1024;

const FOR_OTHERS = 0o077;

const DEADLINE_MS = 10_000;

/** A way to log in. Holds not the key itself, only where to find it. */
export interface Profile {
  readonly apiKeyFile?: string | undefined;
  /** A program with arguments, run without a shell, that prints the key. */
  readonly apiKeyCommand?: readonly string[] | undefined;
  /** A configuration directory in which the agent is logged in. */
  readonly configDir?: string | undefined;
}

export interface ResolvedProfile {
  /** Added to the agent's environment. */
  readonly env: Readonly<Record<string, Secret>>;
  readonly configDir: string | undefined;
}

interface ResolveProfileOptions {
  /** For messages. */
  readonly name: string;
  readonly profile: Profile;
  /** Environment of the command that prints the key. */
  readonly env: Readonly<Record<string, string>>;
  /** Our own user id; undefined on Windows, where a file's owner and mode mean nothing. */
  readonly uid: number | undefined;
  readonly platform: NodeJS.Platform;
  readonly deadlineMs?: number;
}

/**
 * Looks up a profile's key anew for each turn, so a changed one is used at once. No message, cause or log ever contains the output of the
 * file or command.
 */
export async function resolveProfile(options: ResolveProfileOptions): Promise<ResolvedProfile> {
  const { profile, name } = options;
  const text = await readKey(options);
  const env = text === undefined ? {} : { CURSOR_API_KEY: toKey(text, name) };
  return { env, configDir: profile.configDir };
}

async function readKey({ name, profile, ...options }: ResolveProfileOptions): Promise<string | undefined> {
  const { apiKeyFile, apiKeyCommand } = profile;
  if (apiKeyFile !== undefined) return await readKeyFile({ name, path: apiKeyFile, uid: options.uid });
  if (apiKeyCommand === undefined) return undefined;
  const { env, platform, deadlineMs = DEADLINE_MS } = options;
  return await runKeyCommand({ name, command: apiKeyCommand, env, platform, deadlineMs });
}

/** A key is one printable word: anything else, such as an error page, must not reach the agent's environment. */
function toKey(text: string, name: string): Secret {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return new Secret(key);
  const found = key === "" ? "nothing" : "something that is not a key";
  throw new CaretError("bad-key", `The profile ${name} gives ${found}`, {
    fix: `Put the API key, and nothing else, where the profile ${name} looks for it.`,
  });
}

interface KeyFile {
  readonly name: string;
  readonly path: string;
  readonly uid: number | undefined;
}

/** Reads a key file that only the user can access. */
async function readKeyFile(file: KeyFile): Promise<string> {
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
    // Checked through the open handle, so the file cannot be swapped in between. A pipe must not block us.
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
