import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Git, runGit } from "../../git/run-git.ts";
import { physicalPath } from "../../paths/physical-path.ts";
import { listByTrueName } from "../true-name.ts";
import { objectDirectories } from "./object-directories.ts";
import type { ConfigEntry } from "./read-config.ts";

/** The repository whose checkout a workspace is, in git's own words. */
export interface Repository {
  readonly workspace: string;
  /** What `.git` is: the directory itself, or a file that names it (a linked worktree, a submodule). */
  readonly entry: "directory" | "file";
  readonly directory: string;
  /** Where it keeps what all its worktrees share; the same directory but for a linked worktree. */
  readonly common: string;
  readonly objectFormat: string;
  /** Where its objects are: its own directory, then its alternates. */
  readonly objects: readonly string[];
  readonly config: readonly ConfigEntry[];
}

/** A repository, or why git inside cannot have one. */
export type Answer =
  | { readonly kind: "repository"; readonly repository: Repository }
  | { readonly kind: "none" }
  | { readonly kind: "unusable"; readonly why: string };

/**
 * Asks git what the workspace's `.git` is. It must be that of this very workspace: a file `.git` may come with the files of a
 * stranger, so that the repository that it names has to name the workspace back.
 */
export async function askRepository(
  git: Git,
  workspace: string,
  config: readonly ConfigEntry[] | undefined,
): Promise<Answer> {
  const path = join(workspace, ".git");
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isDirectory() && listByTrueName(path)?.length === 0)) return { kind: "none" };
  const unusable = (why: string): Answer => ({ kind: "unusable", why });
  if (!stat.isDirectory() && !stat.isFile()) return unusable("`.git` is neither a directory nor a file");
  const asked = await askPlaces(git, workspace);
  if (typeof asked === "string") return unusable(asked);
  if (config === undefined) return unusable("its configuration cannot be read");
  const { directory, common, top, objectFormat, objects } = asked;
  const entry = stat.isDirectory() ? "directory" : "file";
  if (top !== workspace) return unusable(`its working tree is ${top}`);
  const place = { workspace, directory: physicalPath(directory), common: physicalPath(common) };
  if (!isOwn(place, entry, config)) return unusable("the repository that it names does not name this directory");
  const stored = objectDirectories(objects);
  if (typeof stored === "string") return unusable(stored);
  return {
    kind: "repository",
    repository: { ...place, entry, objectFormat, objects: stored, config },
  };
}

/** Where git says the repository's parts are; or why it says nothing. */
async function askPlaces(git: Git, workspace: string) {
  const words = ["--absolute-git-dir", "--git-common-dir", "--show-toplevel", "--show-object-format"];
  const args = ["rev-parse", "--path-format=absolute", ...words, "--git-path", "objects"];
  // Git looks no higher than here: a damaged `.git` must not make it find the repository above.
  const env = { GIT_CEILING_DIRECTORIES: dirname(workspace) };
  const asked = await runGit(git, workspace, args, { env }).catch(() => undefined);
  if (asked === undefined) return "git cannot be run";
  const [directory, common, top, objectFormat, objects] = asked.text.split("\n");
  if (asked.code === 0 && directory && common && objectFormat && objects)
    return { directory, common, top, objectFormat, objects };
  return asked.errors.trim().split("\n", 1)[0] || "git does not know it";
}

type Place = Pick<Repository, "workspace" | "directory" | "common">;

function isOwn(
  { workspace, directory, common }: Place,
  entry: Repository["entry"],
  config: readonly ConfigEntry[],
): boolean {
  const own = join(workspace, ".git");
  if (entry === "directory") return directory === own && common === own;
  if (common !== directory) return physicalPath(resolve(directory, readText(join(directory, "gitdir")).trim())) === own;
  const named = config.findLast(({ key, scope }) => key === "core.worktree" && scope === "local")?.value;
  return named !== undefined && physicalPath(resolve(directory, named)) === workspace;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // a repository that is no worktree's
  }
}
