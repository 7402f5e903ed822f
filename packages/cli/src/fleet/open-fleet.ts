import { hostname } from "node:os";
import type { FleetSeat, PostgresEventStoreOptions, PostgresLogStore } from "@caret/fleet";
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
  const ends = [database.close];
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    await fleet.migrateDatabase(database);
    const seat = fleet.openFleetSeat({ database, fleetKey: new Secret(settings.key), machine, onError });
    ends.push(seat.close);
    const hint = (id: string): void => seat.notifier.hint({ kind: "log", id });
    const store = await fleet.openPostgresEventStore({
      ...storeOptions(config, seat, role),
      onAppended: (sessionId) => {
        hint(sessionId);
        onAppended?.();
      },
      onTouched: hint,
    });
    return { seat, store, close };
  } catch (reason) {
    // What is connected or listens would keep the process that cannot start.
    await close();
    throw reason;
  }
}

function storeOptions({ limits }: Config, seat: FleetSeat, role: "gateway" | "worker"): PostgresEventStoreOptions {
  const { database, owner, leases, machine } = seat;
  return {
    database,
    owner,
    role,
    // A gateway only copies events, into sessions that no worker knows yet.
    ...(role === "worker" ? { fenceOf: leases.fenceOf, newLeaseMs: leases.newLeaseMs, home: machine } : {}),
    mayDelete: role === "gateway",
    // Only leases say who is lost, and only a worker that has taken one over ends its turns.
    isOwnerAlive: () => true,
    rawMaxBytes: limits.rawBytes,
  };
}

function missing(setting: string, what: string): CaretError {
  return new CaretError("invalid-config", `A fleet needs \`${setting}\``, { fix: `Set it to ${what}.` });
}
