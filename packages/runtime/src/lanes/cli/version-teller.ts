import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent } from "@caret/protocol";

/** How long the end of a turn may wait for a version that is still being asked for. */
const LAST_CHANCE_MS = 250;

/**
 * Adds the CLI's version to a turn. It is worth knowing, not worth waiting for: it joins the `session-ready` if it is
 * known by then, and else comes in one of its own, before the turn ends.
 */
export function createVersionTeller(
  version: Promise<string | undefined>,
): (events: readonly AgentEvent[]) => Promise<readonly AgentEvent[]> {
  let known: string | undefined;
  let isTold = false;
  void version.then((found) => {
    known = found;
  });
  return async (events) => {
    if (isTold) return events;
    if (events.at(-1)?.type === "turn-end")
      await Promise.race([version, sleep(LAST_CHANCE_MS, undefined, { ref: false })]);
    if (known === undefined) return events;
    isTold = true;
    const ready = events.findIndex((event) => event.type === "session-ready");
    const event = events[ready];
    if (event?.type === "session-ready") return events.with(ready, { ...event, version: known });
    return [{ type: "session-ready", version: known }, ...events];
  };
}
