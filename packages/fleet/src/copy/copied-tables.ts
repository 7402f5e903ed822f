/** One row in values both stores share: booleans are booleans, missing values are null. */
export type CopiedRow = Readonly<Record<string, string | number | boolean | null>>;

/** A table that exists in both stores, with the columns they have in common. */
export interface CopiedTable {
  readonly sqlite: string;
  readonly postgres: string;
  readonly columns: readonly string[];
  /** The columns that SQLite stores as 0 and 1. */
  readonly booleans: readonly string[];
  /** Sort order of rows, so both stores produce the same digest. */
  readonly order: string;
}

/** Name under which the lineage file is attached to the log's database. */
export const LINEAGE = "lineage";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const sessionTable: CopiedTable = {
  sqlite: "session",
  postgres: "sessions",
  columns:
    words(`id workspace title lane model permission sandbox budget created_at updated_at archived imported last_seq
    last_line line_state last_turn last_turn_at last_outcome upstream forked_from forked_seq search_text pinned user_name team_name`),
  booleans: ["archived", "imported", "pinned"],
  order: "id",
};

export const eventTable: CopiedTable = {
  sqlite: "event",
  postgres: "events",
  columns: words("session_id seq turn_id at data raw raw_cut"),
  booleans: ["raw_cut"],
  order: "seq",
};

export const turnTable: CopiedTable = {
  sqlite: "turn",
  postgres: "logged_turns",
  columns: words("session_id turn_id model lane first_seq started_at owner ended_at"),
  booleans: [],
  order: "first_seq, turn_id",
};

export const usageTable: CopiedTable = {
  sqlite: "turn_usage",
  postgres: "turn_usages",
  columns: words(
    "session_id turn_id day model lane input output cache_read cache_write reasoning cost user_name team_name",
  ),
  booleans: [],
  order: "session_id, turn_id",
};

/** Transcripts of the stateless doors that the session has answered. SQLite keeps them in a separate file. */
export const transcriptTable: CopiedTable = {
  sqlite: `${LINEAGE}.transcript`,
  postgres: "lineage_transcripts",
  columns: words("hash session_id turn_id count heard_before at outcome is_contested request shape sent"),
  booleans: ["is_contested"],
  order: "hash",
};

/** The transcript that the session goes on from. */
export const newestTable: CopiedTable = {
  sqlite: `${LINEAGE}.newest`,
  postgres: "lineage_newest",
  columns: words("session_id hash at"),
  booleans: [],
  order: "hash",
};

const scopeTable: CopiedTable = {
  sqlite: `${LINEAGE}.scope`,
  postgres: "lineage_scopes",
  columns: words("scope system_id tool_count has_shown_tools at"),
  booleans: ["has_shown_tools"],
  order: "scope",
};

const commandTable: CopiedTable = {
  sqlite: "command",
  postgres: "done_commands",
  columns: words("name digest session_id turn_id first_seq at"),
  booleans: [],
  order: "name",
};

const agentTable: CopiedTable = {
  sqlite: "agent",
  postgres: "agents",
  columns: words(
    "name session_id created_by repository branch suspended_at suspended_why report report_at user_servers",
  ),
  booleans: ["user_servers"],
  order: "name",
};

const messageTable: CopiedTable = {
  sqlite: "message",
  postgres: "messages",
  columns: words("id sender receiver text digest reply_to mode state at turn_id user_name"),
  booleans: [],
  // The order in which messages are taken from their queues.
  order: "number",
};

/** Tables that belong to no single session; copied after all sessions. */
export const sharedTables: readonly CopiedTable[] = [commandTable, agentTable, messageTable, scopeTable];
