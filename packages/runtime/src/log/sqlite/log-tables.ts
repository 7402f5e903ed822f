import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type CommandKey, type CommandRecord, parseJson } from "@caret/protocol";
import { commandTaken, type ReadOptions, type StoredEvent } from "../event-store.ts";
import { parseEvent } from "../stored-event.ts";
import { type AgentTable, createAgentTable } from "./agent-table.ts";
import { addCostFunction } from "./cost-function.ts";
import { createMessageTable, type MessageTable } from "./message-table.ts";
import type { Row } from "./open-database.ts";
import { createSessionTable, type SessionTable } from "./session-table.ts";
import { createTurnTable, type TurnTable } from "./turn-table.ts";

const DEFAULT_LIMIT = 1_000;

/** How long the outcome of a command is kept for a client that sends it again. */
const COMMANDS_KEPT_MS = 24 * 3_600_000;

/** The prepared statements of one connection. */
export interface LogTables {
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly turns: TurnTable;
  readonly commands: CommandTable;
  readonly agents: AgentTable;
  readonly messages: MessageTable;
}

export function createLogTables(database: DatabaseSync): LogTables {
  addCostFunction(database);
  return {
    sessions: createSessionTable(database),
    events: createEventTable(database),
    turns: createTurnTable(database),
    commands: createCommandTable(database),
    agents: createAgentTable(database),
    messages: createMessageTable(database),
  };
}

interface CommandTable {
  find(name: string, now: number): CommandRecord | undefined;
  /** Throws `session-busy` when there is one of this name. Forgets those that are too old. */
  record(command: CommandKey, did: Omit<CommandRecord, "digest">, now: number): void;
}

function createCommandTable(database: DatabaseSync): CommandTable {
  const find = database.prepare("select * from command where name = ? and at > ?");
  const forget = database.prepare("delete from command where at <= ?");
  const insert = database.prepare("insert or ignore into command values (?, ?, ?, ?, ?, ?)");
  return {
    find(name, now) {
      const row = find.get(name, now - COMMANDS_KEPT_MS);
      if (row === undefined) return undefined;
      const record = { digest: String(row["digest"]), sessionId: String(row["session_id"]) };
      if (row["turn_id"] === null) return record;
      return { ...record, turn: { turnId: String(row["turn_id"]), firstSeq: Number(row["first_seq"]) } };
    },
    record({ name, digest }, { sessionId, turn }, now) {
      forget.run(now - COMMANDS_KEPT_MS);
      const { changes } = insert.run(name, digest, sessionId, turn?.turnId ?? null, turn?.firstSeq ?? null, now);
      if (changes === 0) throw commandTaken();
    },
  };
}

interface EventTable {
  insert(stored: StoredEvent, data: string): void;
  read(sessionId: string, options: ReadOptions): readonly StoredEvent[];
  /** Deletes so many of a session's oldest events. Says whether there are more. */
  removeSome(sessionId: string, count: number): boolean;
}

function createEventTable(database: DatabaseSync): EventTable {
  const insert = database.prepare("insert into event values (?, ?, ?, ?, ?, ?, ?)");
  const oldest = database.prepare("select min(seq) as seq from event where session_id = ?");
  const removeUpTo = database.prepare("delete from event where session_id = ? and seq < ?");
  const withRaw = prepareReads(database, "*");
  const withoutRaw = prepareReads(database, "session_id, seq, turn_id, at, data, null as raw, 0 as raw_cut");

  return {
    insert({ sessionId, seq, turnId, at, raw, rawCut }, data) {
      insert.run(sessionId, seq, turnId, at, data, raw ?? null, Number(rawCut ?? false));
    },
    removeSome(sessionId, count) {
      const first = oldest.get(sessionId)?.["seq"] ?? null;
      if (first === null) return false;
      removeUpTo.run(sessionId, Number(first) + count);
      return true;
    },
    read(sessionId, { afterSeq = 0, beforeSeq, limit = DEFAULT_LIMIT, raw = true }) {
      const { after, before } = raw ? withRaw : withoutRaw;
      const rows =
        beforeSeq === undefined
          ? after.all(sessionId, afterSeq, limit)
          : before.all(sessionId, beforeSeq, limit).reverse();
      return rows.map(toStoredEvent);
    },
  };
}

function prepareReads(
  database: DatabaseSync,
  columns: string,
): { readonly after: StatementSync; readonly before: StatementSync } {
  const from = `select ${columns} from event where session_id = ?`;
  return {
    after: database.prepare(`${from} and seq > ? order by seq limit ?`),
    before: database.prepare(`${from} and seq < ? order by seq desc limit ?`),
  };
}

function toStoredEvent(row: Row): StoredEvent {
  return {
    sessionId: String(row["session_id"]),
    seq: Number(row["seq"]),
    turnId: String(row["turn_id"]),
    at: Number(row["at"]),
    // What is not even JSON is kept as the text it is, so that a person can still look at it.
    event: parseEvent(parseJson(String(row["data"]), String(row["data"]))),
    ...(row["raw"] === null ? {} : { raw: String(row["raw"]) }),
    ...(row["raw_cut"] === 1 ? { rawCut: true } : {}),
  };
}
