import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { CopiedStore, Database } from "@caret/fleet";
import { CaretError } from "@caret/protocol";
import { LOG_FILE } from "@caret/runtime";
import { absolutePath } from "../config/config-paths.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";

/**
 * Opens the store an argument names: `local` for the data directory, `store` for the configured database (so no password has to be an
 * argument), else a directory or an address. The PostgreSQL packages are loaded by then.
 */
export async function openStorePlace(
  host: Host,
  config: Config,
  named: string,
  { isRead }: { readonly isRead: boolean },
): Promise<CopiedStore> {
  const fleet = await import("@caret/fleet");
  const place = resolvePlace(config, named);
  if (!isAddress(place)) {
    const directory = absolutePath(place, { ...host, base: host.cwd });
    if (isRead) assertLog(directory);
    return fleet.openSqliteCopiedStore(directory);
  }
  const database = await openMigrated(place);
  return fleet.openPostgresCopiedStore({ database, machine: config.fleet.machine ?? hostname() });
}

/** Opening creates missing logs, so a mistyped directory would be read as an empty log without an error. */
function assertLog(directory: string): void {
  if (existsSync(join(directory, LOG_FILE))) return;
  throw new CaretError("not-found", `There is no log in ${directory}`, {
    fix: "Name the data directory that Caret uses, or `local`.",
  });
}

/** Creates or updates all tables of a database: the log's and the fleet jobs'. Returns its display name. */
export async function initStorePlace(config: Config, named: string): Promise<string> {
  const place = resolvePlace(config, named);
  if (!isAddress(place))
    throw new CaretError("invalid-request", "Only a database has tables to be made ahead", {
      fix: "Name a postgres:// address, or set `store`.",
    });
  const { grantRoles, installJobs } = await import("@caret/fleet");
  const database = await openMigrated(place);
  try {
    await grantRoles(database);
    await installJobs(database);
  } finally {
    await database.close();
  }
  return database.place;
}

async function openMigrated(address: string): Promise<Database> {
  const fleet = await import("@caret/fleet");
  const database = fleet.openDatabase(fleet.readDatabaseAddress(address), { name: "caret store" });
  try {
    await fleet.migrateDatabase(database);
  } catch (reason) {
    await database.close();
    throw reason;
  }
  return database;
}

function isAddress(place: string): boolean {
  return /^postgres(?:ql)?:/.test(place);
}

function resolvePlace({ dataDir, store }: Config, named: string): string {
  if (named === "local") return dataDir;
  if (named !== "store") return named;
  if (store === undefined)
    throw new CaretError("invalid-config", "There is no `store` in the settings", {
      fix: "Set `store` in the configuration file or CARET_STORE, or name a directory.",
    });
  return store;
}
