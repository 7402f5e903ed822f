import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CommandKey, CommandRecord } from "@caret/protocol";
import { commandTaken } from "../command-taken.ts";
import { COMMANDS_KEPT_MS, READ_LIMIT, type ReadOptions, type StoredEvent } from "../event-store.ts";
import { toCommandRecord, toStoredEvent } from "../rows/event-row.ts";
import { type AgentTable, createAgentTable } from "./agent-table.ts";
import { addCostFunction } from "./cost-function.ts";
import { createMessageTable, type MessageTable } from "./message-table.ts";
import { createSaidTable, type SaidTable } from "./said-table.ts";
import { createSessionTable, type SessionTable } from "./session-table.ts";
import { createTurnTable, type TurnTable } from "./turn-table.ts";

/** The prepared statements of one connection. */
export interface LogTables {
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly turns: TurnTable;
  readonly commands: CommandTable;
  readonly agents: AgentTable;
  readonly messages: MessageTable;
  readonly said: SaidTable;
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
    said: createSaidTable(database),
  };
}

interface CommandTable {
  find(name: string, now: number): CommandRecord | undefined;
  /** Throws `session-busy` if the name exists. Deletes expired records. */
  record(command: CommandKey, did: Omit<CommandRecord, "digest">, now: number): void;
}

function createCommandTable(database: DatabaseSync): CommandTable {
  const find = database.prepare("select * from command where name = ? and at > ?");
  const forget = database.prepare("delete from command where at <= ?");
  const insert = database.prepare("insert or ignore into command values (?, ?, ?, ?, ?, ?)");
  return {
    find(name, now) {
      const row = find.get(name, now - COMMANDS_KEPT_MS);
      return row === undefined ? undefined : toCommandRecord(row);
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
  /** Deletes up to `count` of a session's oldest events. Returns whether there are more. */
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
    read(sessionId, { afterSeq = 0, beforeSeq, limit = READ_LIMIT, raw = true }) {
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
