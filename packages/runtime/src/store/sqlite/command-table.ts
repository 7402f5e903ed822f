import type { DatabaseSync } from "node:sqlite";
import type { CommandKey, CommandRecord } from "@caret/protocol";
import { commandTaken } from "../command-taken.ts";

/** How long a client that sends a command again is told what became of it. */
const COMMANDS_KEPT_MS = 24 * 3_600_000;

export interface CommandTable {
  find(name: string, now: number): CommandRecord | undefined;
  /** Throws `session-busy` when there is one of this name. Forgets those that are too old. */
  record(command: CommandKey, did: Omit<CommandRecord, "digest">, now: number): void;
}

export function createCommandTable(database: DatabaseSync): CommandTable {
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
