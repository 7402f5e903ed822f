/** What a role may do with a table's rows. Everything else is the owner's: truncate, alter, drop, references, trigger. */
export type Verb = "select" | "insert" | "update" | "delete";

export type FleetRole = "gateway" | "worker";

export const fleetRoles: readonly FleetRole[] = ["gateway", "worker"];

export type Rights = Readonly<Record<FleetRole, readonly Verb[]>>;

const read: readonly Verb[] = ["select"];
const add: readonly Verb[] = ["select", "insert"];
const keep: readonly Verb[] = ["select", "insert", "update"];
const all: readonly Verb[] = ["select", "insert", "update", "delete"];
const none: readonly Verb[] = [];

/**
 * Every table of Caret's schema with each role's rights. Tables not listed are the owner's alone: the partitions of `events`, which are
 * read and written through their parent, and detached ones.
 */
export const tableRights: Readonly<Record<string, Rights>> = {
  agents: { gateway: all, worker: all },
  api_blobs: { gateway: none, worker: add },
  api_conversations: { gateway: none, worker: all },
  commands: { gateway: ["select", "insert", "delete"], worker: ["select", "update", "delete"] },
  comparisons: { gateway: read, worker: all },
  done_commands: { gateway: all, worker: all },
  events: { gateway: ["select", "insert", "delete"], worker: add },
  kept_answers: { gateway: all, worker: all },
  kept_items: { gateway: all, worker: all },
  lineage_newest: { gateway: read, worker: all },
  lineage_scopes: { gateway: read, worker: all },
  lineage_transcripts: { gateway: read, worker: all },
  live_batches: { gateway: read, worker: ["select", "insert", "delete"] },
  logged_turns: { gateway: keep, worker: keep },
  members: { gateway: all, worker: all },
  messages: { gateway: all, worker: all },
  openers: { gateway: all, worker: all },
  running_turns: { gateway: read, worker: all },
  said: { gateway: add, worker: add },
  schema_migrations: { gateway: read, worker: read },
  sessions: { gateway: all, worker: keep },
  tokens: { gateway: all, worker: none },
  turn_usages: { gateway: keep, worker: keep },
  turns: { gateway: keep, worker: ["select", "update", "delete"] },
  work: { gateway: keep, worker: ["select", "update"] },
};

/** Every sequence that a role takes numbers from. Sequences of identity columns need no grant. */
export const usedSequences: readonly string[] = ["said_number"];

/** Rights on pg-boss's tables, which have their own schema. */
export const jobRights: readonly Verb[] = all;
