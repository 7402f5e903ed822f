import { CaretError, Secret } from "@caret/protocol";
import type { Profile, ResolvedProfile } from "./profile.ts";
import { readKeyFile } from "./read-key-file.ts";
import { runKeyCommand } from "./run-key-command.ts";

const DEADLINE_MS = 10_000;

export interface ResolveProfileOptions {
  /** For messages. */
  readonly name: string;
  readonly profile: Profile;
  /** The environment of a command that prints the key. */
  readonly env: Readonly<Record<string, string>>;
  /** Who we are; undefined on Windows, where a file's owner and mode say nothing. */
  readonly uid: number | undefined;
  readonly platform: NodeJS.Platform;
  readonly deadlineMs?: number;
}

/**
 * Find a profile's key, anew for each turn, so that a changed one is used at once. No message, cause or log ever holds
 * what the file or the command said.
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

/** A key is one printable word: anything else, an error page say, must not reach the agent's environment. */
function toKey(text: string, name: string): Secret {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return new Secret(key);
  const found = key === "" ? "nothing" : "something that is not a key";
  throw new CaretError("bad-key", `The profile ${name} gives ${found}`, {
    fix: `Put the API key, and nothing else, where the profile ${name} looks for it.`,
  });
}
