import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { toShell } from "@caret/protocol";

/** The package's own directory, the same from a source file here and from a bundle in `build`: the nearest one with a manifest. */
export const packageRoot: URL = nearestPackage(new URL("./", import.meta.url));

/** The one version of all packages, read from the manifest so it is defined once. */
export const version: string = (
  JSON.parse(readFileSync(new URL("package.json", packageRoot), "utf8")) as { version: string }
).version;

/** A directory that npm prepends to PATH for its scripts; no login shell has it. */
const NPM_BIN = `${sep}node_modules${sep}.bin`;

/** Where npm installs the published package, whose command for `npx` has its own name: it is ours wherever it is typed. */
const PUBLISHED = `${sep}node_modules${sep}caret-gateway${sep}`;

/**
 * How a person starts this very program in their directory. Only a checkout, and only where npx finds this program, is called `npx caret`:
 * the gateway's messages are also read in other directories, where npx would fetch a stranger's package of that name.
 */
export function commandForm(script: string, env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const own = physical(script);
  const directories = (env["PATH"] ?? "").split(delimiter).filter((path) => path !== "" && !path.endsWith(NPM_BIN));
  if (directories.some((directory) => physical(join(directory, "caret")) === own)) return "caret";
  if (own?.includes(PUBLISHED)) return "npx caret-gateway";
  return whatNpxRuns(cwd) === own ? "npx caret" : toShell(["node", own ?? script]);
}

/** The program that `npx caret` runs here: that of the nearest `node_modules` that has one. */
function whatNpxRuns(cwd: string): string | undefined {
  const nearest = physical(join(cwd, "node_modules", ".bin", "caret"));
  const parent = dirname(cwd);
  return nearest ?? (parent === cwd ? undefined : whatNpxRuns(parent));
}

function nearestPackage(directory: URL): URL {
  const parent = new URL("../", directory);
  const isFound = existsSync(new URL("package.json", directory)) || parent.href === directory.href;
  return isFound ? directory : nearestPackage(parent);
}

function physical(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}
