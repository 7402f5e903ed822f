import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CliFailure } from "../process/cli-failure.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Only the form is checked: an id nobody has seen silently becomes a new chat. */
export function requireChatId(id: string): string {
  if (uuid.test(id)) return id;
  throw new CliFailure(
    `Failed to claim persistent session for chat "${id}": Persistent-session chat ID must be a UUID`,
  );
}

export function hasChat(chatsDir: string, id: string): boolean {
  return existsSync(join(chatsDir, id, "store.db"));
}

/** The `back`-th most recently used chat that holds a conversation: 1 is the latest. */
export function findRecentChat(chatsDir: string, back: number): string | undefined {
  const found = listChats(chatsDir).sort((a, b) => b.updatedAtMs - a.updatedAtMs);
  return found[back - 1]?.id;
}

function listChats(chatsDir: string): { id: string; updatedAtMs: number }[] {
  if (!existsSync(chatsDir)) return [];
  return readdirSync(chatsDir).flatMap((id) => {
    try {
      const meta = JSON.parse(readFileSync(join(chatsDir, id, "meta.json"), "utf8")) as Record<string, unknown>;
      return meta["hasConversation"] === true ? [{ id, updatedAtMs: Number(meta["updatedAtMs"]) }] : [];
    } catch {
      // Not a chat, or one that is being written for the first time.
      return [];
    }
  });
}
