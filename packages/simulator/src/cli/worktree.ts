import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CliFailure } from "./cli-failure.ts";

export interface WorktreeOptions {
  readonly workspace: string;
  readonly configDir: string;
  readonly name: string;
  readonly base?: string;
}

/** Makes a git worktree for the turn and returns its path. */
export function createWorktree({ workspace, configDir, name, base = "HEAD" }: WorktreeOptions): string {
  const path = join(configDir, "worktrees", basename(workspace), name);
  mkdirSync(dirname(path), { recursive: true });
  const git = spawnSync("git", ["worktree", "add", "--detach", path, base], { cwd: workspace, encoding: "utf8" });
  if (git.status !== 0) throw new CliFailure(`Error: Failed to create worktree: ${(git.stderr ?? "").trim()}`);
  return path;
}
