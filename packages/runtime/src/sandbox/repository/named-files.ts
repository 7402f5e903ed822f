import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { wayInside } from "../../paths/physical-path.ts";
import type { Missing } from "../mount-points.ts";
import type { ConfigEntry } from "./read-config.ts";

/** Something in the workspace that the user's git runs, or takes settings from. */
export interface NamedFile {
  readonly path: string;
  /** What to make where there is nothing: it must not come into being. Undefined: nothing is needed then. */
  readonly missing?: Missing;
}

/** Sections whose values are addresses and names of branches, not programs. */
const WITHOUT_PROGRAMS = /^(?:remote|branch|url|user|author|committer|submodule|init|color|push|pull|fetch)\./;

/**
 * What of the workspace git's configuration names, the user's own included: the directory of hooks, files that are
 * included, and programs that lie there.
 */
export function namedFiles(config: readonly ConfigEntry[], workspace: string, home: string): readonly NamedFile[] {
  const found = new Map<string, NamedFile>();
  for (const file of config.flatMap((entry) => namedBy(entry, workspace, home))) {
    const isInside = (wayInside(workspace, file.path) ?? "") !== "" && !isOwnGit(workspace, file.path);
    if (isInside && (file.missing !== undefined || !found.has(file.path))) found.set(file.path, file);
  }
  return [...found.values()];
}

/** What one setting names: the file that it stands in, too. */
function namedBy({ key, value = "", origin }: ConfigEntry, workspace: string, home: string): readonly NamedFile[] {
  const own = origin.startsWith("file:") ? resolve(workspace, origin.slice("file:".length)) : undefined;
  const source = own === undefined ? [] : [{ path: own }];
  if (value === "" || WITHOUT_PROGRAMS.test(key)) return source;
  if (key === "core.hookspath")
    return [...source, { path: atHome(value, workspace, home), missing: { kind: "directory" } }];
  if (/^(?:include|includeif\..*)\.path$/s.test(key)) {
    const directory = dirname(own ?? join(workspace, ".git", "config"));
    return [...source, { path: atHome(value, directory, home), missing: { kind: "file", content: "" } }];
  }
  const programs = programsIn(value).map((word) => resolve(workspace, word));
  return [...source, ...programs.filter(isFile).map((path) => ({ path }))];
}

/** The words of a command line that could be paths. */
function programsIn(value: string): readonly string[] {
  return value
    .slice(0, 4_000)
    .split(/[\s"'`;&|()<>=]/)
    .filter((word) => word !== "" && (word.includes("/") || isAbsolute(word)));
}

function atHome(value: string, directory: string, home: string): string {
  return value.startsWith("~/") ? join(home, value.slice(2)) : resolve(directory, value);
}

function isOwnGit(workspace: string, path: string): boolean {
  return wayInside(join(workspace, ".git"), path) !== undefined;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
