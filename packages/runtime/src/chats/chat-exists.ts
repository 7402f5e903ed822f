import { join, resolve } from "node:path";
import { physicalPath, workspaceHash } from "../paths/physical-path.ts";
import { openChatStore } from "./open-chat-store.ts";

interface ChatLocation {
  readonly configDir: string;
  readonly workspace: string;
  readonly id: string;
}

/**
 * Whether the CLI can resume this chat in this workspace. Check it before `--resume`: for an unknown id the CLI does not fail but starts an
 * empty chat under that id. A chat with an unreadable store counts as gone.
 */
export function chatExists({ configDir, workspace, id }: ChatLocation): boolean {
  if (!isChatId(id)) return false;
  try {
    using store = openChatStore(join(configDir, "chats", workspaceHash(workspace), id, "store.db"));
    store.meta();
    return true;
  } catch {
    return false;
  }
}

/** Ids become part of a path, so they must not contain anything that could lead elsewhere. */
export function isChatId(id: string): boolean {
  return /^[0-9A-Za-z][\w-]*$/.test(id);
}

interface ConfigDirsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Where Cursor's CLI may keep its chats, most specific first. Not all of them need exist. */
export function configDirs({ env, home }: ConfigDirsOptions): readonly string[] {
  const xdg = env["XDG_CONFIG_HOME"];
  const candidates = [env["CURSOR_CONFIG_DIR"], xdg && join(xdg, "cursor"), join(home, ".cursor")];
  return [...new Set(candidates.flatMap((path) => (path ? [resolve(path)] : [])))];
}

/** A workspace's name under `projects/`: everything but letters and digits becomes a dash. */
export function workspaceSlug(path: string): string {
  return physicalPath(path)
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
