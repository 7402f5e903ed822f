import { hostname } from "node:os";
import type { FleetSeat, PostgresLogStore } from "@caret/fleet";
import { CaretError, Secret } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";

export interface OpenedFleet {
  readonly seat: FleetSeat;
  /** Fenced by the leases of the seat. */
  readonly store: PostgresLogStore;
  /** To be called after the store was closed. */
  close(): Promise<void>;
}

interface OpenFleetOptions {
  readonly role: "gateway" | "worker";
  /** Called after each append of this process. */
  readonly onAppended?: (() => void) | undefined;
  readonly onError: (error: CaretError) => void;
}

/** Joins the fleet of the settings. What it takes is loaded only now: a gateway without a fleet has none of it. */
export async function openFleet(config: Config, { role, onAppended, onError }: OpenFleetOptions): Promise<OpenedFleet> {
  const { store: address, fleet: settings } = config;
  if (address === undefined) throw missing("store", "the address of the fleet's database");
  if (settings.key === undefined)
    throw missing("fleet.key", "a secret that all of the fleet share, `openssl rand -hex 32`");
  const fleet = await import("@caret/fleet");
  const machine =
    settings.machine ??
    hostname()
      .replaceAll(/[^\w-]/g, "-")
      .slice(0, 60);
  const database = fleet.openDatabase(fleet.readDatabaseAddress(address), { name: `caret ${role}` });
  await fleet.migrateDatabase(database);
  const seat = fleet.openFleetSeat({ database, fleetKey: new Secret(settings.key), machine, onError });
  const store = await fleet.openPostgresEventStore({
    database,
    owner: seat.owner,
    // A gateway only copies events, into sessions that no worker knows yet.
    ...(role === "worker" ? { fenceOf: seat.leases.fenceOf, newLeaseMs: seat.leases.newLeaseMs } : {}),
    ...(role === "worker" ? { home: machine } : {}),
    mayDelete: role === "gateway",
    role,
    // Only leases say who is lost, and only a worker that has taken one over ends its turns.
    isOwnerAlive: () => true,
    onAppended: (sessionId) => {
      seat.notifier.hint({ kind: "log", id: sessionId });
      onAppended?.();
    },
    rawMaxBytes: config.limits.rawBytes,
  });
  return {
    seat,
    store,
    async close() {
      await seat.close();
      await database.close();
    },
  };
}

function missing(setting: string, what: string): CaretError {
  return new CaretError("invalid-config", `A fleet needs \`${setting}\``, { fix: `Set it to ${what}.` });
}
