import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { CaretError } from "@caret/protocol";
import { type BytePath, isText, shownPath } from "../git/byte-path.ts";
import type { Git } from "../git/run-git.ts";
import { inPlace, type RunSafely } from "../git/run-safely.ts";
import { unsavedFiles } from "../git/unsaved-files.ts";

/** What git ends with where a repository has no commit. */
const FATAL = 128;

export interface NestedRepositories {
  readonly top: string;
  readonly directories: readonly BytePath[];
  /** Where the repository keeps what it knows of the worktree: its submodules have their commits below. */
  readonly admin: string;
}

/** Names what nothing else has of repositories in a worktree: their files that are in no commit, and commits that are on no remote. */
export async function unpushedIn(
  git: Git,
  { top, directories, admin }: NestedRepositories,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const directory of directories) {
    const shown = shownPath(directory);
    // Git is run by a name that is text; another one is kept without a look.
    names.push(...(isText(directory) ? await workIn(git, join(top, shown), shown) : [`${shown}/`]));
  }
  for (const directory of submodulesIn(join(admin, "modules")))
    if (await hasUnpushed(git, directory))
      names.push(`commits of the submodule ${relative(join(admin, "modules"), directory)}`);
  return names;
}

/** A repository that Git cannot read is named: nothing in it is known to be elsewhere. */
async function workIn(git: Git, directory: string, shown: string): Promise<readonly string[]> {
  try {
    const where = { GIT_WORK_TREE: directory, GIT_CEILING_DIRECTORIES: dirname(directory) };
    const run = await inPlace(git, directory, where);
    const files = (await unsavedFiles(run)).map(({ path }) => `${shown}/${shownPath(path)}`);
    return (await isUnpushed(run)) ? [...files, `${shown}/ (commits that are on no remote)`] : files;
  } catch (reason) {
    if (CaretError.is(reason)) return [`${shown}/`];
    throw reason;
  }
}

async function hasUnpushed(git: Git, gitDirectory: string): Promise<boolean> {
  try {
    return await isUnpushed(await inPlace(git, gitDirectory, { GIT_DIR: gitDirectory }));
  } catch (reason) {
    if (CaretError.is(reason)) return true;
    throw reason;
  }
}

async function isUnpushed(run: RunSafely): Promise<boolean> {
  const args = ["rev-list", "--max-count=1", "--all", "--reflog", "HEAD", "--not", "--remotes"];
  const { code, text } = await run(args, { codes: [0, FATAL] });
  return code === FATAL || text !== "";
}

/** Their names may have slashes in them, and submodules of their own are below them. */
function submodulesIn(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.flatMap(({ name }) => {
    const path = join(directory, name);
    return existsSync(join(path, "HEAD")) ? [path, ...submodulesIn(join(path, "modules"))] : submodulesIn(path);
  });
}
