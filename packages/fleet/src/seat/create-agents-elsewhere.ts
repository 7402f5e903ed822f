import type { AgentsElsewhere } from "@caret/runtime";
import type { FleetSeat } from "./fleet-seat.ts";

/** How often queues are read without a hint: the delay that a lost hint costs. */
const LOOK_MS = 5_000;

/** Announces queued messages to the fleet's other processes and hears theirs. */
export function createAgentsElsewhere({
  listener,
  notifier,
}: Pick<FleetSeat, "listener" | "notifier">): AgentsElsewhere {
  return {
    announce: (receiver) => notifier.hint({ kind: "message", id: receiver }),
    onAnnounced(look) {
      let lookedAt = performance.now();
      return listener.on("message", undefined, (receiver) => {
        if (receiver === undefined && performance.now() - lookedAt < LOOK_MS) return;
        lookedAt = performance.now();
        look();
      });
    },
    onTurn: (look) => listener.on("running", undefined, look),
  };
}
