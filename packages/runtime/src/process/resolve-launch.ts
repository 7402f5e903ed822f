import { posix, win32 } from "node:path";
import { CaretError } from "@caret/protocol";

export interface ResolveLaunchOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A path, a name to search on PATH, or several names of which the first found is used. */
  readonly command: string | readonly string[];
  /** The names in a directory; empty if it does not exist. */
  readonly listDirectory: (path: string) => readonly string[];
  readonly exists: (path: string) => boolean;
  /** Directories searched after PATH. */
  readonly beyondPath?: readonly string[];
}

/** What to start: the file, and the arguments that precede all others. */
export interface ResolvedLaunch {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Finds the program to start.
 *
 * On Windows the CLI is installed as `.cmd` and `.ps1` shims, which Node refuses to start without a shell and which mangle quotes and
 * newlines with one. The shims only look up the newest installed version; so do we, and start its own node.exe with its own script and
 * unmodified arguments.
 */
export function resolveLaunch(options: ResolveLaunchOptions): ResolvedLaunch {
  const names = typeof options.command === "string" ? [options.command] : options.command;
  const [launch] = findLaunches(options);
  if (launch !== undefined) return launch;
  const [shim] = options.platform === "win32" ? findFiles(names, win32, WINDOWS_ENDINGS, options) : [];
  if (shim !== undefined)
    throw new CaretError("cli-broken", `${shim} is only a shim, and no installed version was found behind it`);
  throw new CaretError("cli-missing", `Found no ${names.join(" or ")} to start`);
}

/** Every startable program with these names, in search order. */
export function findLaunches(options: ResolveLaunchOptions): readonly ResolvedLaunch[] {
  const names = typeof options.command === "string" ? [options.command] : options.command;
  if (options.platform !== "win32") return findFiles(names, posix, [""], options).map(asItIs);
  const found = findFiles(names, win32, WINDOWS_ENDINGS, options).flatMap((file) =>
    isShim(file) ? (newestInstalled([win32.dirname(file)], options) ?? []) : asItIs(file),
  );
  if (found.length > 0 || !names.some(isNameOfCli)) return found;
  return [newestInstalled([], options) ?? []].flat();
}

const WINDOWS_ENDINGS = ["", ".exe", ".cmd", ".ps1"];

function asItIs(file: string): ResolvedLaunch {
  return { file, args: [] };
}

function isShim(file: string): boolean {
  return /\.(cmd|bat|ps1)$/i.test(file);
}

/** Also searched in the installer's directory if that is not on PATH, as in a service. */
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

/** Versions are named by date and so sort by name; one without both files is an unfinished update. */
function newestVersion(versions: string, { listDirectory, exists }: ResolveLaunchOptions): ResolvedLaunch | undefined {
  const newestFirst = [...listDirectory(versions)].sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  for (const version of newestFirst) {
    const node = win32.join(versions, version, "node.exe");
    const script = win32.join(versions, version, "index.js");
    if (exists(node) && exists(script)) return { file: node, args: [script] };
  }
  return undefined;
}

function findFiles(
  names: readonly string[],
  path: typeof posix,
  endings: readonly string[],
  { env, exists, beyondPath = [] }: ResolveLaunchOptions,
): readonly string[] {
  const directories = (): readonly string[] => {
    const listed = (lookUp(env, "PATH") ?? "").split(path.delimiter).filter((directory) => directory !== "");
    return [...listed, ...beyondPath];
  };
  return names.flatMap((name) => {
    const isPath = name.includes("/") || (path === win32 && name.includes("\\"));
    const bases = isPath ? [name] : directories().map((directory) => path.join(directory, name));
    return bases.flatMap((base) => endings.map((ending) => base + ending)).filter(exists);
  });
}

/** Windows ignores the case of names and usually calls it `Path`. */
function lookUp(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return env[name] ?? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
