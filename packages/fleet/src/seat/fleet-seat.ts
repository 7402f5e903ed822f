import type { CaretError, Secret } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import { createSessionLeases, type SessionLeases } from "../queue/session-leases.ts";
import { createNotifier, type Notifier } from "../wire/notifier.ts";
import { nameProcess } from "../wire/process-name.ts";
import { createSealer, type Sealer } from "../wire/sealer.ts";
import { type HintListener, openHintListener } from "./hint-listener.ts";

export interface SeatOptions {
  readonly database: Database;
  readonly fleetKey: Secret;
  readonly machine: string;
  readonly onError: (error: CaretError) => void;
}

/** What a process of the fleet has before it opens a log: a name and its connections to the others. */
export interface FleetSeat {
  /** Unique to this process: a restarted worker has another one. */
  readonly owner: string;
  readonly machine: string;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly listener: HintListener;
  readonly notifier: Notifier;
  readonly leases: SessionLeases;
  close(): Promise<void>;
}

export function openFleetSeat({ database, fleetKey, machine, onError }: SeatOptions): FleetSeat {
  const owner = nameProcess(machine);
  const listener = openHintListener({ database, onError });
  const notifier = createNotifier({ database, onHint: listener.hear, onError });
  return {
    owner,
    machine,
    database,
    sealer: createSealer(fleetKey),
    listener,
    notifier,
    leases: createSessionLeases(database, owner),
    async close() {
      await notifier.close();
      await listener.close();
    },
  };
}
