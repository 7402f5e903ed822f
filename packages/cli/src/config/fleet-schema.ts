import { z } from "zod";
import { key } from "./key-names.ts";

/** Settings of a fleet of gateways and workers; see docs/fleet.md. */
export function fleetSchemas() {
  return {
    store: key(
      z.string().min(1).optional(),
      "The PostgreSQL database of a fleet, `postgres://USER@HOST/DATABASE?sslmode=verify-full`, in place of the log in " +
        "`dataDir`. Set it by a file or `CARET_STORE`: other users of the machine see arguments.",
      { secret: "all" },
    ),
    fleet: z
      .strictObject({
        key: key(
          z.string().min(32).optional(),
          "What seals prompts and answers on their way between gateways and workers: the same for all of a fleet, 32 characters " +
            "or more.",
          { secret: "all" },
        ),
        machine: key(
          z.string().min(1).max(60).optional(),
          "The name of this machine: sessions whose workspace and chats are here wait for it. Unset: its host name.",
        ),
        capacity: key(
          z.number().int().min(1).max(1024).default(16),
          "How many sessions and conversations a worker has at once; others wait, or go to other workers.",
        ),
        metricsPort: key(
          z.number().int().min(0).max(65_535).optional(),
          "The port at which a worker serves `/metrics` and `/healthz`; 0 picks a free one. Unset: it listens on none.",
        ),
        metricsHost: key(z.string().min(1).default("127.0.0.1"), "The address that goes with `fleet.metricsPort`."),
      })
      .prefault({}),
  };
}
