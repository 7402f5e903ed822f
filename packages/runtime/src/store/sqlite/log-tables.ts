import type { DatabaseSync } from "node:sqlite";
import { type CommandTable, createCommandTable } from "./command-table.ts";
import { addCostFunction } from "./cost-function.ts";
import { createEventTable, type EventTable } from "./event-table.ts";
import { createSessionTable, type SessionTable } from "./session-table.ts";
import { createTurnTable, type TurnTable } from "./turn-table.ts";

/** The prepared statements of one connection. */
export interface LogTables {
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly turns: TurnTable;
  readonly commands: CommandTable;
}

export function createLogTables(database: DatabaseSync): LogTables {
  addCostFunction(database);
  return {
    sessions: createSessionTable(database),
    events: createEventTable(database),
    turns: createTurnTable(database),
    commands: createCommandTable(database),
  };
}
