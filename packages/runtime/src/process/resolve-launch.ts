import { posix, win32 } from "node:path";
import { CaretError } from "@caret/protocol";

export interface ResolveLaunchOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A path, a name to be found on PATH, or several names of which the first found is taken. */
  readonly command: string | readonly string[];
  /** The names in a directory; empty when there is none. */
  readonly listDirectory: (path: string) => readonly string[];
  readonly exists: (path: string) => boolean;
}

/** What to start: the file, and the arguments that come before all others. */
export interface ResolvedLaunch {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Finds the program to start.
 *
 * On Windows the CLI is installed as `.cmd` and `.ps1` shims, which Node refuses to start without a shell and which
 * mangle quotes and newlines with one. The shims only look for the newest installed version; so do we, and start its
 * own node.exe with its own script and an untouched list of arguments.
 */
export function resolveLaunch(options: ResolveLaunchOptions): ResolvedLaunch {
  const names = typeof options.command === "string" ? [options.command] : options.command;
  const launch = options.platform === "win32" ? resolveWindows(names, options) : findFile(names, posix, [""], options);
  if (launch !== undefined) return launch;
  throw new CaretError("cli-missing", `Found no ${names.join(" or ")} to start`);
}

function resolveWindows(names: readonly string[], options: ResolveLaunchOptions): ResolvedLaunch | undefined {
  const found = findFile(names, win32, ["", ".exe", ".cmd", ".ps1"], options);
  if (found === undefined) return names.some(isNameOfCli) ? newestInstalled([], options) : undefined;
  if (!/\.(cmd|bat|ps1)$/i.test(found.file)) return found;
  const installed = newestInstalled([win32.dirname(found.file)], options);
  if (installed !== undefined) return installed;
  throw new CaretError("cli-broken", `${found.file} is only a shim, and no installed version was found behind it`);
}

/** Looked for where the installer puts it even when that is not on PATH, as in a service. */
function isNameOfCli(name: string): boolean {
  return /^(cursor-)?agent$/i.test(name);
}

function newestInstalled(homes: readonly string[], options: ResolveLaunchOptions): ResolvedLaunch | undefined {
  const local = lookUp(options.env, "LOCALAPPDATA");
  const known = local === undefined ? [] : [win32.join(local, "cursor-agent")];
  for (const home of [...homes, ...known]) {
    const newest = newestVersion(win32.join(home, "versions"), options);
    if (newest !== undefined) return newest;
  }
  return undefined;
}

/** Versions are named by date and so sort by name; one without both files is an update still under way. */
function newestVersion(versions: string, { listDirectory, exists }: ResolveLaunchOptions): ResolvedLaunch | undefined {
  const newestFirst = [...listDirectory(versions)].sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  for (const version of newestFirst) {
    const node = win32.join(versions, version, "node.exe");
    const script = win32.join(versions, version, "index.js");
    if (exists(node) && exists(script)) return { file: node, args: [script] };
  }
  return undefined;
}

function findFile(
  names: readonly string[],
  path: typeof posix,
  endings: readonly string[],
  { env, exists }: ResolveLaunchOptions,
): ResolvedLaunch | undefined {
  const directories = (lookUp(env, "PATH") ?? "").split(path.delimiter).filter((directory) => directory !== "");
  for (const name of names) {
    const isPath = name.includes("/") || (path === win32 && name.includes("\\"));
    const bases = isPath ? [name] : directories.map((directory) => path.join(directory, name));
    const file = bases.flatMap((base) => endings.map((ending) => base + ending)).find(exists);
    if (file !== undefined) return { file, args: [] };
  }
  return undefined;
}

/** Windows ignores the case of names and calls it `Path` as a rule. */
function lookUp(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return env[name] ?? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
