import { lstatSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { liesInRepository } from "../git/snapshot-tree.ts";
import { wayInside } from "../paths/physical-path.ts";
import { decidingDirectory, decidingFile, plainFileName } from "./deciding-names.ts";
import type { GitAnswer, GitAnswers } from "./git-settings.ts";

/** Whether changing the file could decide what runs later without a question. The path must be real, without links. */
export function decidesWhatRuns(path: string, workspace: string, answers: GitAnswers): boolean {
  const way = wayInside(workspace, path);
  const names = (way === undefined ? path : way).split(/[/\\]/).map(plainFileName);
  if (names.some((name) => decidingDirectory(name)) || decidingFile(names.at(-1) ?? "")) return true;
  if (workspace.split(/[/\\]/).some((name) => plainFileName(name) === ".git")) return true;
  return ancestorsOf(path, way === undefined ? path : workspace).some(
    (directory) =>
      isGitDirectory(directory) ||
      (isRepository(directory, directory === workspace) && isGitsSetting(path, answers(directory))),
  );
}

/** The path and its parent directories up to the workspace. */
function ancestorsOf(path: string, workspace: string): readonly string[] {
  const found = [path];
  for (let at = path; at !== workspace && dirname(at) !== at; at = dirname(at)) found.push(dirname(at));
  return found;
}

/** Git accepts any directory with these entries, whatever its name: a worktree's, a submodule's, a bare repository. */
function isGitDirectory(directory: string): boolean {
  const has = (name: string): boolean => stat(resolve(directory, name)) !== undefined;
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

/** A workspace can lie below the top of its repository. */
function isRepository(directory: string, isTop: boolean): boolean {
  return isTop ? liesInRepository(directory) : stat(resolve(directory, ".git")) !== undefined;
}

/** `core.hooksPath` moves the hooks to any directory, and a configuration can include any file. */
function isGitsSetting(path: string, answer: GitAnswer): boolean {
  if (typeof answer === "string") return answer === "unknown";
  return wayInside(answer.hooks, path) !== undefined || answer.files.includes(path);
}

function stat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, or inaccessible: git does not see it either
  }
}
