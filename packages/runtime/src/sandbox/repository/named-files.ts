import { lstatSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { physicalPath, wayInside } from "../../paths/physical-path.ts";
import type { Missing } from "../mount-points.ts";
import type { ConfigEntry } from "./read-config.ts";

/** Something in the workspace that the user's git runs, or takes settings from. */
export interface NamedFile {
  readonly path: string;
  /** What to make where there is nothing: it must not come into being. Undefined: nothing is made for it. */
  readonly missing?: Missing;
}

/** A working tree in a workspace; `home` is of the user whose git it is. */
export interface NamedFrom {
  readonly workspace: string;
  readonly top: string;
  readonly home: string;
}

/** Settings whose values are addresses and names of branches and people, not programs. */
const WITHOUT_PROGRAMS = /^(?:branch|user|author|committer|color)\.|^remote\..*\.(?:url|pushurl|fetch|push)$/s;
const DIRECTORIES = /^(?:core\.hookspath|init\.templatedir)$/;
const MAX_VALUE = 4_000;
const MAX_PLACES = 2_000;

/**
 * What of the workspace git's configuration names, the user's own included, and is there or must not come into being: the
 * directory of hooks, files that are included, and programs that lie there.
 */
export function namedFiles(
  config: readonly ConfigEntry[],
  linked: readonly NamedFile[],
  from: NamedFrom,
): readonly NamedFile[] {
  const places = placesIn(config, linked, from);
  return places.filter(({ path, missing, isWord }) => missing !== undefined || isProgram(path, isWord));
}

/** The same for one working tree in it, whether there is something or not. */
export function namedPlaces(
  config: readonly ConfigEntry[],
  linked: readonly NamedFile[],
  from: NamedFrom,
): readonly NamedFile[] {
  return placesIn(config, linked, from).filter(({ path, isWord }) => !isWord || isProgram(path, isWord));
}

interface Place extends NamedFile {
  /** It is a word without a slash: a program's argument, or anything else. */
  readonly isWord?: boolean;
}

/** `linked` is what links of a directory of git lead to. */
function placesIn(config: readonly ConfigEntry[], linked: readonly Place[], from: NamedFrom): readonly Place[] {
  const found = new Map<string, Place>();
  for (const place of [...linked, ...config.flatMap((entry): readonly Place[] => namedBy(entry, from))]) {
    // A link from elsewhere may lead into it: `~/.gitconfig` to a file of a repository of such files.
    const path = isIn(from.workspace, place.path) ? place.path : physicalPath(place.path);
    const isInside = isIn(from.workspace, path) && !isOwnGit(from.workspace, path);
    const known = found.get(path);
    const isMore = known === undefined || place.missing !== undefined || (known.isWord && !place.isWord);
    if (isInside && isMore && found.size < MAX_PLACES) found.set(path, { ...place, path });
  }
  return [...found.values()];
}

/** What one setting names: the file that it stands in, too. */
function namedBy({ key, value = "", origin }: ConfigEntry, { top, home }: NamedFrom): readonly Place[] {
  const own = origin.startsWith("file:") ? resolve(top, origin.slice("file:".length)) : undefined;
  const source = own === undefined ? [] : [{ path: own }];
  if (value === "" || WITHOUT_PROGRAMS.test(key)) return source;
  if (DIRECTORIES.test(key)) {
    const path = atHome(value, top, home);
    return [...source, key === "core.hookspath" ? { path, missing: { kind: "directory" } } : { path }];
  }
  if (/^(?:include|includeif\..*)\.path$/s.test(key)) {
    const directory = dirname(own ?? join(top, ".git", "config"));
    return [...source, { path: atHome(value, directory, home), missing: { kind: "file", content: "" } }];
  }
  return [...source, ...programsIn(key, value, top, home)];
}

/**
 * The words of a command line that could be files: paths, also those that begin with a variable or with what a command
 * prints, and what a program such as `sh` is given.
 */
function programsIn(key: string, value: string, top: string, home: string): readonly Place[] {
  const words = value
    .slice(0, MAX_VALUE)
    .split(/[\s"'`;&|()<>=]/)
    .filter((word) => word !== "");
  // A single word is looked for in the PATH; an alias without `!` is another command of git.
  const isCommand = words.length > 1 && (!key.startsWith("alias.") || value.startsWith("!"));
  return words.flatMap((word) => {
    if (!word.includes("/")) return isCommand ? [{ path: resolve(top, word), isWord: true }] : [];
    const bare = word.replace(/^\$(?:\w+|\{\w+\})?(?=\/)/, "");
    const paths = [atHome(word.replace(/^!/, ""), top, home)];
    if (isAbsolute(bare)) paths.push(join(top, bare));
    // Git runs some of them in a submodule.
    if (bare.startsWith("../")) paths.push(join(top, bare.replace(/^(?:\.\.\/)+/, "")));
    return paths.map((path) => ({ path }));
  });
}

function atHome(value: string, directory: string, home: string): string {
  return value.startsWith("~/") ? join(home, value.slice(2)) : resolve(directory, value);
}

function isIn(workspace: string, path: string): boolean {
  return (wayInside(workspace, path) ?? "") !== "";
}

function isOwnGit(workspace: string, path: string): boolean {
  return wayInside(join(workspace, ".git"), path) !== undefined;
}

/** A file; or a link to one, which is refused where it is sealed. */
function isProgram(path: string, isWord = false): boolean {
  try {
    const stat = lstatSync(path);
    return stat.isFile() || (!isWord && stat.isSymbolicLink() && statSync(path).isFile());
  } catch {
    return false; // there is nothing, or no file can have that name
  }
}
