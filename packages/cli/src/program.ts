import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, join, sep } from "node:path";

/** The package's own directory, seen from a source here as from a bundle in `build`. */
export const packageRoot: URL = new URL("../", import.meta.url);

/** The one version of all packages, read from the manifest so that there is one definition. */
export const version: string = (
  JSON.parse(readFileSync(new URL("package.json", packageRoot), "utf8")) as { version: string }
).version;

/** A directory that npm puts in front of PATH for its scripts; no login shell has it. */
const NPM_BIN = `${sep}node_modules${sep}.bin`;

/**
 * How a person starts Caret where this process was started: `caret` where their shell finds this very program, else
 * `npx caret`, which works in a checkout.
 */
export function commandForm(script: string, env: Readonly<Record<string, string | undefined>>): "caret" | "npx caret" {
  const own = physical(script);
  const directories = (env["PATH"] ?? "").split(delimiter).filter((path) => path !== "" && !path.endsWith(NPM_BIN));
  const isFound = directories.some((directory) => physical(join(directory, "caret")) === own);
  return isFound ? "caret" : "npx caret";
}

function physical(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}
