import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { ConfigEntry } from "./repository/read-config.ts";

const MAX_BYTES = 1024 * 1024;

/** Which files the user ignores in all repositories, and which have attributes there. */
export interface UserLists {
  readonly ignore: string;
  readonly attributes: string;
}

/**
 * Reads them where git does. Only the user's own settings count: those of a repository may name any file. `configHome` is where
 * programs keep their settings.
 */
export function readUserLists(
  config: readonly ConfigEntry[],
  { home, configHome }: { readonly home: string; readonly configHome: string },
): UserLists {
  const read = (key: string, usual: string): string => {
    const own = config.findLast((entry) => entry.key === key && /^(?:global|system)$/.test(entry.scope))?.value;
    const path = own === undefined ? join(configHome, "git", usual) : own.replace(/^~(?=\/)/, () => home);
    return isAbsolute(path) ? readList(path) : "";
  };
  return { ignore: read("core.excludesfile", "ignore"), attributes: read("core.attributesfile", "attributes") };
}

function readList(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(path, "utf8") : "";
  } catch {
    return ""; // there is none
  }
}
