import { lstatSync, readFileSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { trimEndOf } from "@caret/protocol";
import { wayInside } from "../paths/physical-path.ts";

/**
 * Directories and files from which a program takes commands to run when a person only enters, opens, lists or commits:
 * git, editors, agents, shells, package managers and the tools that hook into them. A build script is none of these: a
 * person who starts a build wants it to run.
 */
const directories = new Set([
  ...[".git", ".husky", ".githooks", ".lefthook"],
  ...[".cursor", ".claude", ".codex", ".gemini", ".opencode", ".continue", ".windsurf", ".cline", ".qwen", ".kiro"],
  ...[".vscode", ".idea", ".zed", ".fleet", ".devcontainer"],
  ...[".direnv", ".cargo", ".mvn", ".yarn", ".bundle", ".ssh", ".gnupg", ".config"],
]);
const files = new Set([
  ...[".gitmodules", ".gitconfig", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".pre-commit-config.yaml"],
  ...[".huskyrc", ".huskyrc.json", ".huskyrc.js", ".overcommit.yml"],
  ...[".mcp.json", "opencode.json", "opencode.jsonc", ".cursorrules", ".windsurfrules"],
  ...[".envrc", ".mise.toml", "mise.toml", ".rtx.toml", ".autoenv"],
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".pnp.cjs", ".pnp.loader.mjs", "bunfig.toml", "pip.conf"],
  ...[".bazelrc", ".condarc", ".gemrc", ".wgetrc", ".curlrc", ".netrc"],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login"],
  ...[".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".gdbinit", ".lldbinit", ".irbrc", ".pryrc", ".psqlrc", ".sqliterc"],
  // Together with `objects` and `refs` it makes any directory a repository, whose `config` names programs to run.
  "head",
]);
/** What macOS does not see in a name, so that `.g\u200cit` is `.git` there. */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Whether a change of the file could decide what is run later, unasked. The path is real: no link is on its way. */
export function decidesWhatRuns(path: string, workspace: string): boolean {
  const way = wayInside(workspace, path);
  const names = (way === undefined ? path : way).split(/[/\\]/).map(plainFileName);
  if (names.some((name) => directories.has(name)) || files.has(names.at(-1) ?? "")) return true;
  if (workspace.split(/[/\\]/).some((name) => plainFileName(name) === ".git")) return true;
  return ancestorsOf(path, way === undefined ? path : workspace).some(
    (directory) => isGitDirectory(directory) || isInHooksOf(directory, path),
  );
}

/** As a file system that folds case, or that strips what it does not like, would see the name. */
function plainFileName(name: string): string {
  const plain = name.normalize("NFKC").replaceAll(INVISIBLE, "").toLowerCase();
  const named = plain.replace(/:.*$/s, "");
  const kept = named.slice(0, 1) + trimEndOf(named.slice(1), /[. ]/);
  return /^git~\d+$/.test(kept) ? ".git" : kept;
}

/** The path itself and the directories above it, as far as the workspace. */
function ancestorsOf(path: string, workspace: string): readonly string[] {
  const found = [path];
  for (let at = path; at !== workspace && dirname(at) !== at; at = dirname(at)) found.push(dirname(at));
  return found;
}

/** Any directory that has these is one for git, whatever it is named: a worktree's, a submodule's, a bare repository. */
function isGitDirectory(directory: string): boolean {
  const has = (name: string): boolean => stat(resolve(directory, name)) !== undefined;
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

/** `core.hooksPath` moves the hooks to any directory. */
function isInHooksOf(repository: string, path: string): boolean {
  if (stat(resolve(repository, ".git"))?.isDirectory() !== true) return false;
  const config = readText(resolve(repository, ".git", "config"));
  const hooksPaths = [...config.matchAll(/^\s*hookspath\s*=\s*"?([^"\n]+?)"?\s*$/gim)].map(
    ([, hooksPath = ""]) => hooksPath,
  );
  return hooksPaths.some((hooksPath) => wayInside(resolve(repository, hooksPath), path) !== undefined);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // a repository without a configuration has moved no hooks
  }
}

function stat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, or closed to us: git does not see it either
  }
}
