import { CaretError, strictest } from "@caret/protocol";
import type { Lane } from "../lanes/lane.ts";
import type { SessionRecord } from "../log/event-store.ts";
import type { SandboxWish } from "../sandbox/sandboxes.ts";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import { findLane } from "./open-session.ts";
import type { TurnRequest } from "./session-engine.ts";

type Wished = Omit<SandboxWish, "sessionId">;

/**
 * The sandbox of a turn: the strictest that the setting, the session and the request ask for. Rejects where it cannot be
 * had, before anything of the turn is written or started: a turn never runs with less than was asked for.
 */
export async function sandboxOf(
  options: SessionEngineOptions,
  request: TurnRequest,
  session: SessionRecord | undefined,
): Promise<Wished | undefined> {
  const { sandboxes, defaults, lanes } = options;
  const word = strictest(defaults.sandbox, session?.sandbox, request.sandbox);
  if (word === "off") return undefined;
  const lane = findLane(options, request.lane ?? session?.lane);
  if (lane.sandboxed !== true)
    throw new CaretError("sandbox-unavailable", `Turns of the ${lane.name} lane cannot be sandboxed`, {
      fix: `Choose one of these lanes, or a turn without a sandbox: ${lanesWith(lanes)}.`,
    });
  if (sandboxes === undefined) throw new CaretError("sandbox-unavailable", "No sandbox is set up here");
  await sandboxes.assertAvailable();
  return { word, additions: request.sandboxAdditions ?? {} };
}

function lanesWith(lanes: readonly Lane[]): string {
  return lanes
    .filter(({ sandboxed }) => sandboxed === true)
    .map(({ name }) => name)
    .join(", ");
}
