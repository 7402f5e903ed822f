import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { CaretError } from "@caret/protocol";
import { wayInside } from "../paths/physical-path.ts";

/** What must be mounted so that git works in a workspace and its settings and hooks stay as they are. */
export interface GitGuards {
  /** Directories and files that stay writable and can no longer be renamed: each becomes a mount point. */
  readonly pinned: readonly string[];
  /** Read-only. Where one does not exist, it must be made first. */
  readonly sealed: readonly GuardedPath[];
}

export interface GuardedPath {
  readonly path: string;
  /** What to make where there is nothing; a file has this content. Undefined: nothing is needed then. */
  readonly missing?: { readonly kind: "directory" } | { readonly kind: "file"; readonly content: string };
}

/** Names git settings of other repositories, or of this one: none of them changes when work is committed. */
const SEALED_DIRECTORIES = ["modules", "worktrees"];

/**
 * Commits need to write nearly everywhere in `.git`, but a program that writes its configuration or hooks has commands run by the
 * next `git status` of the user, outside. Three ways lead there: `config` and `hooks` themselves; replacing all of `.git`,
 * so it is pinned; and a file `commondir`, which sends git to another directory for both.
 */
export function gitGuards(workspace: string): GitGuards {
  const git = join(workspace, ".git");
  const stat = lstatSync(git, { throwIfNoEntry: false });
  if (stat === undefined) return { pinned: [], sealed: [{ path: git, missing: { kind: "directory" } }] };
  if (stat.isDirectory()) return ofRepository(git, workspace);
  if (stat.isFile()) return ofWorktree(git, workspace);
  throw new CaretError("workspace-forbidden", `${git} is neither a directory nor a file`, {
    fix: "Replace it by the directory itself, or choose a turn without a sandbox.",
  });
}

function ofRepository(git: string, workspace: string): GitGuards {
  const config = readText(join(git, "config"));
  return {
    pinned: [git],
    sealed: [
      { path: join(git, "config"), missing: { kind: "file", content: "" } },
      { path: join(git, "hooks"), missing: { kind: "directory" } },
      // A single dot names the directory it stands in: for git nothing changes.
      { path: join(git, "commondir"), missing: { kind: "file", content: ".\n" } },
      ...worktreeConfig(git, config),
      ...SEALED_DIRECTORIES.map((name) => ({ path: join(git, name) })),
      ...namedIn(config, git, workspace),
    ],
  };
}

/** A linked worktree: its repository is elsewhere, and of that no more is opened than a commit writes. */
function ofWorktree(git: string, workspace: string): GitGuards {
  const admin = adminDirectory(git);
  const common = admin === undefined ? undefined : dirname(dirname(admin));
  if (admin === undefined || common === undefined) return { pinned: [], sealed: [{ path: git }] };
  const written = ["objects", "refs", "logs"].map((name) => join(common, name)).filter(isDirectory);
  return {
    pinned: [...written, admin],
    sealed: [
      { path: git },
      ...["commondir", "gitdir"].map((name) => ({ path: join(admin, name) })),
      ...worktreeConfig(admin, readText(join(common, "config"))),
      ...namedIn(readText(join(common, "config")), common, workspace),
    ],
  };
}

/**
 * Where a worktree's `.git` file leads, if the repository there knows the worktree. The file is the repository's own
 * content, so that it could name any directory: one that does not name the workspace back is not mounted.
 */
function adminDirectory(git: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readText(git))?.[1];
  if (named === undefined) return undefined;
  const admin = realPath(resolve(dirname(git), named));
  if (admin === undefined || basename(dirname(admin)) !== "worktrees") return undefined;
  const back = realPath(resolve(admin, readText(join(admin, "gitdir")).trim()));
  const common = realPath(resolve(admin, readText(join(admin, "commondir")).trim()));
  return back === realPath(git) && common === dirname(dirname(admin)) ? admin : undefined;
}

/** The directory of a worktree's repository that is mounted read-only below what is pinned. */
export function repositoryOf(workspace: string): string | undefined {
  const git = join(workspace, ".git");
  if (lstatSync(git, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const admin = adminDirectory(git);
  return admin === undefined ? undefined : dirname(dirname(admin));
}

/** Settings of one worktree count only where the repository says so. */
function worktreeConfig(directory: string, config: string): readonly GuardedPath[] {
  if (!/^[ \t]*worktreeconfig[ \t]*=[ \t]*(?:true|yes|on|1)\b/im.test(config)) return [];
  return [{ path: join(directory, "config.worktree"), missing: { kind: "file", content: "" } }];
}

/** Files of the workspace that the configuration includes, and its directory of hooks where it names another one. */
function namedIn(config: string, git: string, workspace: string): readonly GuardedPath[] {
  const hooks = valuesOf(config, "hookspath").map((path) => ({
    path: isAbsolute(path) ? path : resolve(workspace, path),
    missing: { kind: "directory" as const },
  }));
  const included = valuesOf(config, "path").map((path) => ({
    path: resolve(git, path),
    missing: { kind: "file" as const, content: "" },
  }));
  return [...hooks, ...included].filter(({ path }) => wayInside(workspace, path) !== undefined && path !== workspace);
}

/** What a key is set to, in quotes or without. The expression stays within a line: a hostile file must not make it take long. */
function valuesOf(config: string, key: "hookspath" | "path"): readonly string[] {
  const values = [...config.matchAll(new RegExp(String.raw`^[ \t]*${key}[ \t]*=(.*)$`, "gim"))];
  return values
    .map(([, value = ""]) => value.trim().replace(/^"/, "").replace(/"$/, ""))
    .filter((value) => value !== "");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // what is not there, or is no file, names nothing
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // nothing is there
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
