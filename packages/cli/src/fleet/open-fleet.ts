import { hostname } from "node:os";
import type { FleetSeat, PostgresEventStoreOptions, PostgresLogStore } from "@caret/fleet";
import { CaretError, Secret } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";

export interface OpenedFleet {
  readonly seat: FleetSeat;
  /** Fenced by the seat's leases. */
  readonly store: PostgresLogStore;
  /** Call after closing the store. */
  close(): Promise<void>;
}

interface OpenFleetOptions {
  readonly role: "gateway" | "worker";
  /** Called after each append by this process. */
  readonly onAppended?: (() => void) | undefined;
  readonly onError: (error: CaretError) => void;
}

/** Joins the configured fleet. Its code is loaded only here, so a gateway without a fleet loads none of it. */
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
    // Open connections and listeners would keep the failed process alive.
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
    // Only leases tell who is lost, and only the worker that takes over ends the lost one's turns.
    isOwnerAlive: () => true,
    rawMaxBytes: limits.rawBytes,
  };
}

function missing(setting: string, what: string): CaretError {
  return new CaretError("invalid-config", `A fleet needs \`${setting}\``, { fix: `Set it to ${what}.` });
}
