import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { physicalPath, workspaceHash } from "../paths/physical-path.ts";
import { makePrivateDirectory } from "../paths/private-files.ts";
import type { Mount } from "./walls.ts";

/** What an agent keeps outside its workspace, and where. */
export interface AgentBelongings {
  readonly home: string;
  /** Its configuration directory. */
  readonly configDir: string;
  /** Where it keeps projects, when that is another directory. */
  readonly dataDir: string | undefined;
  /** Files that hold its login; those that exist are there to be read. */
  readonly loginFiles: readonly string[];
}

/** The agent's settings, which it may change for itself; the next turn begins with a copy of the user's again. */
const SETTINGS = "cli-config.json";
/** What an agent must find again in the next turn. Chats of the workspace are elsewhere: in the user's own directory. */
const KEPT = ["chats", "acp-sessions"];

/**
 * The agent's home: empty, but for a configuration directory of the session's own, the login to read, and the chats of this
 * one workspace. Nothing that it writes there reaches the user's directory, except into those chats.
 */
export function agentMounts(
  { configDir, dataDir, loginFiles }: AgentBelongings,
  { workspace, directory }: { readonly workspace: string; readonly directory: string },
): readonly Mount[] {
  const hash = workspaceHash(workspace);
  const own = prepareConfig(configDir, ownConfigDir(directory), hash);
  const chats = join(configDir, "chats", hash);
  mkdirSync(chats, { recursive: true, mode: 0o700 });
  return [
    { kind: "write", path: configDir, from: own },
    ...(dataDir === undefined ? [] : [privateData(dataDir, join(directory, "data"))]),
    { kind: "write", path: chats, from: physicalPath(chats) },
    ...loginFiles.filter((file) => existsSync(file)).map((path) => ({ kind: "read", path }) as const),
  ];
}

/** Where Caret writes what such an agent is to find in its configuration directory. */
export function ownConfigDir(directory: string): string {
  return join(directory, "config");
}

/**
 * What an earlier turn left there must not decide how this one runs: all but chats is made again. Links are removed wherever
 * something is mounted: bubblewrap would follow them, and out of the sandbox.
 */
function prepareConfig(configDir: string, own: string, mountedChats: string): string {
  makePrivateDirectory(own);
  for (const name of readdirSync(own))
    if (!KEPT.includes(name) || !isDirectory(join(own, name)))
      rmSync(join(own, name), { recursive: true, force: true });
  for (const name of KEPT) mkdirSync(join(own, name), { recursive: true, mode: 0o700 });
  rmSync(join(own, "chats", mountedChats), { recursive: true, force: true });
  const settings = join(configDir, SETTINGS);
  if (existsSync(settings)) copyFileSync(settings, join(own, SETTINGS));
  return own;
}

function isDirectory(path: string): boolean {
  return lstatSync(path).isDirectory();
}

function privateData(path: string, from: string): Mount {
  makePrivateDirectory(from);
  return { kind: "write", path, from };
}
