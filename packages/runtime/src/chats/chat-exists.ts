import { join } from "node:path";
import { openChatStore } from "./open-chat-store.ts";
import { workspaceHash } from "./workspace-hash.ts";

export interface ChatLocation {
  readonly configDir: string;
  readonly workspace: string;
  readonly id: string;
}

/**
 * Can the CLI resume this chat in this workspace? To be asked before `--resume`: the CLI itself does not fail for an
 * id it does not know, it starts an empty chat under that id. A chat whose store cannot be read counts as gone.
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

/** An id becomes part of a path, so it may hold nothing that could lead elsewhere. */
export function isChatId(id: string): boolean {
  return /^[0-9A-Za-z][\w-]*$/.test(id);
}
