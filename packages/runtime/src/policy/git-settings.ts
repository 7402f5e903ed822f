import { spawnSync } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileStamp } from "../paths/private-files.ts";

/** What of a repository's settings lies where a file can be written. */
export interface GitSettings {
  readonly hooks: string;
  /** Files that its configuration is read from or includes, those that are not there yet too. */
  readonly files: readonly string[];
}

interface Asked {
  readonly stamps: string;
  readonly settings: GitSettings | "unknown" | "no repository";
}

const LIMIT_MS = 2_000;
const MAX_ASKED = 100;
const asked = new Map<string, Asked>();

/**
 * Asks git where the hooks of a repository are and which files its configuration comes from: includes, other names and
 * the user's own settings count. Asked again when one of those files has changed. `unknown` where git does not answer in time.
 */
export function gitSettings(repository: string): Asked["settings"] {
  const known = asked.get(repository);
  if (known !== undefined && known.stamps === stampsOf(repository, known.settings)) return known.settings;
  const settings = ask(repository);
  if (asked.size >= MAX_ASKED) asked.clear();
  asked.set(repository, { stamps: stampsOf(repository, settings), settings });
  return settings;
}

function stampsOf(repository: string, settings: Asked["settings"]): string {
  const files = typeof settings === "string" ? [] : settings.files;
  return [resolve(repository, ".git"), resolve(repository, ".git", "config"), ...files].map(fileStamp).join("\n");
}

function ask(repository: string): Asked["settings"] {
  const hooks = run(repository, ["rev-parse", "--path-format=absolute", "--git-path", "hooks"]);
  if (hooks === undefined) return "unknown";
  if (hooks === "") return "no repository";
  const listed = run(repository, ["config", "--list", "--includes", "--show-origin", "--null"]);
  if (!listed) return "unknown";
  return { hooks: hooks.replace(/\n$/, ""), files: filesIn(repository, listed.split("\0")) };
}

/** Pairs: where a setting comes from (`file:PATH`), and its name and value. */
function filesIn(repository: string, parts: readonly string[]): readonly string[] {
  const files = new Set<string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [origin = "", setting = ""] = [parts[index], parts[index + 1]];
    if (!origin.startsWith("file:")) continue;
    const file = resolve(repository, origin.slice("file:".length));
    files.add(file);
    const included = /^(?:include|includeif\..*)\.path\n(.+)$/s.exec(setting)?.[1];
    if (included !== undefined && !included.startsWith("~")) files.add(resolve(dirname(file), included));
  }
  return [...files];
}

/** Undefined where git did not end in time or cannot be run; empty where it knows of no repository. */
function run(repository: string, words: readonly string[]): string | undefined {
  const { status, stdout, error } = spawnSync("git", ["-C", repository, "-c", "core.fsmonitor=false", ...words], {
    encoding: "utf8",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // Without git nothing runs hooks.
  if (status === null) return (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT" ? "" : undefined;
  return status === 0 ? stdout : "";
}
