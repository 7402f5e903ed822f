/**
 * Directories and files from which a program takes commands to run when a person merely enters, opens, lists or commits: git, editors,
 * agents, shells, package managers and tools that hook into them. Build scripts do not count: a person who starts a build wants them to
 * run.
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
  // With `objects` and `refs` it makes any directory a repository, whose `config` names programs to run.
  "head",
]);
/** Characters macOS ignores in names: `.g\u200cit` is `.git` there. */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Whether everything in a directory of this name can decide what runs. */
export function decidingDirectory(name: string): boolean {
  return directories.has(plainFileName(name));
}

export function decidingFile(name: string): boolean {
  return files.has(plainFileName(name));
}

/** The name as seen by a file system that folds case or strips characters. */
export function plainFileName(name: string): string {
  const plain = name.normalize("NFKC").replaceAll(INVISIBLE, "").toLowerCase();
  const kept = withoutTail(plain.split(":", 1)[0] ?? "");
  return /^git~\d+$/.test(kept) ? ".git" : kept;
}

/** Without trailing dots and spaces, which Windows ignores. */
function withoutTail(name: string): string {
  let end = name.length;
  while (end > 1 && (name[end - 1] === "." || name[end - 1] === " ")) end -= 1;
  return name.slice(0, end);
}
