import { ARCHIVE_FILE } from "./answers/answer-archive.ts";
import { LINEAGE_FILE } from "./conversations/matching/sqlite-lineage-store.ts";
import { STORE_FILE } from "./lanes/api/conversation-store.ts";
import { LOG_FILE } from "./log/sqlite/sqlite-event-store.ts";

/** Caret's own databases in a data directory. What else is called `.db` there is an agent's, and is opened by nobody. */
export const DATABASE_FILES: readonly string[] = [LOG_FILE, LINEAGE_FILE, ARCHIVE_FILE, STORE_FILE];
