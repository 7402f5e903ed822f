import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Where the CLI keeps its configuration and its chats. */
export function findConfigDir(env: Env): string {
  const own = env["CURSOR_CONFIG_DIR"];
  if (own) return resolve(own);
  const xdg = env["XDG_CONFIG_HOME"];
  if (xdg) return join(xdg, "cursor");
  return join(env["HOME"] || homedir(), ".cursor");
}

/** Where trust, approvals and transcripts of one workspace live. */
export function findProjectDir(env: Env, workspace: string): string {
  const root = env["CURSOR_DATA_DIR"] || findConfigDir(env);
  return join(root, "projects", toSlug(workspace));
}

function toSlug(path: string): string {
  return path.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

/** Chats are filed under the physical path: a symlinked way to the same directory finds the same chats. */
export function findChatsDir(configDir: string, physicalWorkspace: string): string {
  return join(configDir, "chats", createHash("md5").update(physicalWorkspace).digest("hex"));
}

/** The path as the kernel knows it; a path that does not exist stays as it was given. */
export function toPhysicalPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The caller's next look at the directory will say what is wrong with it.
    return resolve(path);
  }
}
