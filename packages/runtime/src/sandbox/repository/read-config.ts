import { dirname } from "node:path";
import { type Git, runGit } from "../../git/run-git.ts";

/** A setting as git itself reports it: with its includes, wherever it comes from. */
export interface ConfigEntry {
  readonly scope: string;
  /** `file:PATH`, from the directory where git was asked. */
  readonly origin: string;
  /** Section and name in small letters, what is between them as it was written. */
  readonly key: string;
  /** Undefined: the name stands without a value. */
  readonly value: string | undefined;
}

/** Undefined where git cannot say it, or where some of it cannot be read as text. */
export async function readConfig(
  git: Git,
  directory: string,
  own: Readonly<Record<string, string>> = {},
): Promise<readonly ConfigEntry[] | undefined> {
  const words = ["config", "--list", "--show-scope", "--show-origin", "--includes", "--null"];
  const env = { ...own, GIT_CEILING_DIRECTORIES: dirname(directory) };
  const listed = await runGit(git, directory, words, { env }).catch(() => undefined);
  if (listed?.code !== 0 || listed.isCut || listed.text.includes("\ufffd")) return undefined;
  const parts = listed.text.split("\0");
  const entries: ConfigEntry[] = [];
  for (let index = 0; index + 2 < parts.length; index += 3) {
    const [scope = "", origin = "", named = ""] = parts.slice(index, index + 3);
    // What `runGit` sets is nobody's setting.
    if (scope !== "command") entries.push({ scope, origin, ...settingIn(named) });
  }
  return entries;
}

/** As git prints it between zero bytes: the name, and behind a new line the value where there is one. */
export function settingIn(text: string): Pick<ConfigEntry, "key" | "value"> {
  const end = text.indexOf("\n");
  return end < 0 ? { key: text, value: undefined } : { key: text.slice(0, end), value: text.slice(end + 1) };
}
