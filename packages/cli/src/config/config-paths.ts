import { readFileSync, statSync } from "node:fs";
import { posix, win32 } from "node:path";

const MAX_BYTES = 1024 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigEnvironment {
  /** Values of flags, by key; `config` names the file. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

export interface ConfigPath {
  readonly path: string;
  /** `named`: by `--config` or `CARET_CONFIG`, and must exist. `project`: can set only harmless keys. */
  readonly role: "named" | "project" | "user";
}

/** Where to look for configuration. A named file is the only one. Otherwise the project's overrides the first of the user's that exists. */
export function configPaths({ flags, env, cwd, home, platform }: ConfigEnvironment): readonly ConfigPath[] {
  const named = flags["config"] ?? env["CARET_CONFIG"];
  if (typeof named === "string" && named !== "")
    return [{ path: absolutePath(named, { base: cwd, home, platform }), role: "named" }];
  const { join } = pathsOf(platform);
  const users = [xdgDirectory(env["XDG_CONFIG_HOME"], platform), join(home, ".config")]
    .filter((directory) => directory !== undefined)
    .map((directory) => join(directory, "caret", "caret.json"));
  const project = join(cwd, "caret.json");
  const candidates: readonly ConfigPath[] = [
    { path: project, role: "project" },
    ...[...new Set(users)].map((path) => ({ path, role: "user" }) as const),
  ];
  // In the user's own configuration directory, that file is the user's, not a project's.
  return users.includes(project) ? candidates.slice(1) : candidates;
}

/** The file where a person sets what a project cannot. */
export function userConfigPath({ env, home, platform }: Pick<ConfigEnvironment, "env" | "home" | "platform">): string {
  const { join } = pathsOf(platform);
  return join(xdgDirectory(env["XDG_CONFIG_HOME"], platform) ?? join(home, ".config"), "caret", "caret.json");
}

export function defaultDataDir({ env, home, platform }: Pick<ConfigEnvironment, "env" | "home" | "platform">): string {
  const { join } = pathsOf(platform);
  return join(xdgDirectory(env["XDG_DATA_HOME"], platform) ?? join(home, ".local", "share"), "caret");
}

/** Resolves a path as written against its source's directory; `~` is the home directory. */
export function absolutePath(
  path: string,
  { base, home, platform }: { readonly base: string } & Pick<ConfigEnvironment, "home" | "platform">,
): string {
  const paths = pathsOf(platform);
  const expanded = path === "~" || /^~[/\\]/.test(path) ? paths.join(home, path.slice(1)) : path;
  return paths.resolve(base, expanded);
}

export function pathsOf(platform: NodeJS.Platform): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** Relative paths are ignored, as the specification demands: they would point into the current repository. */
function xdgDirectory(value: string | undefined, platform: NodeJS.Platform): string | undefined {
  return value !== undefined && pathsOf(platform).isAbsolute(value) ? value : undefined;
}

/** Returns a configuration file's text, or undefined if it does not exist. Throws if it exists but cannot be read. */
export type ReadConfigFile = (path: string) => string | undefined;

export function readConfigFile(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  // A repository can make its file a link to an endless device.
  if (!stats.isFile()) throw new Error("it is not a file");
  if (stats.size > MAX_BYTES) throw new Error("it is too large");
  return readFileSync(path, "utf8");
}
