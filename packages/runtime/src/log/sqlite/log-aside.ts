import { readdirSync } from "node:fs";
import { LOG_FILE } from "./sqlite-event-store.ts";

/**
 * Whether a data directory has a log that was damaged and put aside. It may still be repaired, and the new one does not know its sessions:
 * nothing of theirs may be taken for left over.
 */
export function hasLogAside(dataDir: string): boolean {
  return readdirSync(dataDir).some((name) => name.startsWith(`${LOG_FILE}.corrupt-`));
}
