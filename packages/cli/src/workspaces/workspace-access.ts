import { join } from "node:path";
import { toShell } from "@caret/protocol";
import { type AllowedWorkspaces, wayInside } from "@caret/runtime";
import { userConfigPath } from "../config/config-paths.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";
import { createAllowedDirectories } from "./allowed-directories.ts";

export interface WorkspaceAccess extends AllowedWorkspaces {
  /** Allows a directory until this process ends. */
  allowForNow(directory: string): void;
}

/**
 * Where turns can work: the directories in the settings, else those this process was started for; those allowed since by `caret workspaces
 * allow` or on the page; those an editor opened; and Caret's own.
 */
export function workspaceAccess(host: Host, config: Config, startedFor: readonly string[]): WorkspaceAccess {
  const settled = config.workspaces.allow.length > 0 ? config.workspaces.allow : startedFor;
  const allowedSince = createAllowedDirectories(config.dataDir);
  const forNow = new Set<string>();
  return {
    directories: () => [...settled, ...allowedSince(), ...forNow, scratchRoot(config), worktreesRoot(config)],
    allowForNow: (directory) => void forNow.add(directory),
    howToAllow: (directory) =>
      `Run \`${host.command} workspaces allow ${toShell([directory])}\`, or add it to \`workspaces.allow\` in ${userConfigPath(host)}.`,
  };
}

/** Whether a directory is Caret's own rather than a project of the user. */
export function isOwnDirectory(config: Config, directory: string): boolean {
  return [scratchRoot(config), worktreesRoot(config)].some((root) => wayInside(root, directory) !== undefined);
}

/** Directory of agents without a workspace of the user. */
export function scratchRoot(config: Config): string {
  return join(config.dataDir, "scratch");
}

/** Where Caret creates worktrees of the user's repositories. */
export function worktreesRoot(config: Config): string {
  return join(config.dataDir, "worktrees");
}

/** Files generated for named agents: their sockets and settings. */
export function agentsRoot(config: Pick<Config, "dataDir">): string {
  return join(config.dataDir, "agents");
}
