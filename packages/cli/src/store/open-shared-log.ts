import type { LogStore } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { openLog } from "../engine/compose.ts";
import { version } from "../host/program.ts";

/** The log for commands: the fleet's if the settings name one, else the data directory's. */
export async function openSharedLog(config: Config): Promise<LogStore> {
  const { store: address, limits } = config;
  if (address === undefined) return openLog(config);
  const fleet = await import("@caret/fleet");
  const database = fleet.openDatabase(fleet.readDatabaseAddress(address), { name: "caret command" });
  try {
    await fleet.migrateDatabase(database);
    return await fleet.openPostgresEventStore({ database, version, rawMaxBytes: limits.rawBytes, isDatabaseOwn: true });
  } catch (reason) {
    await database.close();
    throw reason;
  }
}
