import { CaretError, strictest } from "@caret/protocol";
import type { Lane } from "../lanes/lane.ts";
import type { SessionRecord } from "../log/event-store.ts";
import { sandboxRules } from "../policy/sandbox-rules.ts";
import type { RequestedSandbox } from "../sandbox/sandboxes.ts";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import { findLane } from "./open-session.ts";
import type { TurnRequest } from "./session-engine.ts";
import type { SessionTurnOptions } from "./start-session-turn.ts";
import type { ToolSandbox } from "./tools/own-turn-tools.ts";

type TurnSandbox = Omit<RequestedSandbox, "sessionId">;

/** Whether a sandbox is requested, so `sandboxOf` has something to find out. */
export function isWalledIn(
  { defaults }: Pick<SessionEngineOptions, "defaults">,
  request: TurnRequest,
  session: SessionRecord | undefined,
): boolean {
  return strictest(defaults.sandbox, session?.sandbox, request.sandbox) !== "off";
}

/**
 * The sandbox of a turn: the strictest of setting, session and request. Rejects if it is unavailable, before anything of the turn is
 * written or started: a turn never runs with less than requested.
 */
export async function sandboxOf(
  options: SessionEngineOptions,
  request: TurnRequest,
  session: SessionRecord | undefined,
): Promise<TurnSandbox | undefined> {
  const { sandboxes, defaults, lanes } = options;
  const word = strictest(defaults.sandbox, session?.sandbox, request.sandbox);
  if (word === "off") return undefined;
  const lane = findLane(options, request.lane ?? session?.lane);
  if (!lane.features.includes("sandbox"))
    throw new CaretError("sandbox-unavailable", `Turns of the ${lane.name} lane cannot be sandboxed`, {
      fix: `Choose one of these lanes, or a turn without a sandbox: ${lanesWith(lanes)}.`,
    });
  if (sandboxes === undefined) throw new CaretError("sandbox-unavailable", "No sandbox is set up here");
  await sandboxes.assertAvailable();
  return { word, additions: request.sandboxAdditions ?? {} };
}

/** The same sandbox for the gateway's tools: its commands are not an agent and need no login. */
export function toolSandbox(
  { sandbox: requested, sandboxes, request, defaults }: SessionTurnOptions,
  workspace: string,
): ToolSandbox | undefined {
  if (requested === undefined || sandboxes === undefined) return undefined;
  const isReadOnly = (request.mode ?? defaults.mode) !== "agent";
  const place = { workspace, isReadOnly, isOurs: false, agent: undefined, programs: [], readable: [], sockets: [] };
  return { rules: sandboxRules(requested.word, sandboxes.git), open: () => sandboxes.open(requested, place) };
}

function lanesWith(lanes: readonly Lane[]): string {
  return lanes
    .filter(({ features }) => features.includes("sandbox"))
    .map(({ name }) => name)
    .join(", ");
}
