import { CaretError, type LaneName } from "@caret/protocol";
import type { Lane } from "../lanes/lane.ts";
import type { NewSession, SessionRecord } from "../log/event-store.ts";
import { toSessionRecord } from "../log/session-record.ts";
import { allowedWorkspace } from "../paths/allowed-workspace.ts";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import { laneNamed } from "./pick-lane.ts";
import type { TurnRequest } from "./session-engine.ts";
import { titleOf } from "./title-of.ts";
import { whoseOf } from "./turn-budget.ts";

/** A session, and a promise for when it is in the log: later writes need not wait for the disk in between. */
export interface OpenedSession {
  readonly session: SessionRecord;
  readonly saved: Promise<unknown>;
}

export function newSession(
  options: SessionEngineOptions,
  request: Omit<TurnRequest, "prompt">,
  title: string | undefined,
  id = options.newId(),
): OpenedSession {
  const workspace = allowedWorkspace(required(request.workspace), options.allowedWorkspaces);
  const session: NewSession = {
    id,
    ...whoseOf(request),
    workspace,
    ...laneOf(options, request.lane),
    model: request.model ?? options.defaults.model,
    ...(request.sandbox === undefined ? {} : { sandbox: request.sandbox }),
    createdAt: options.wallClock(),
    ...(title === undefined ? {} : { title: titleOf(title, options.redactor()) }),
  };
  // Keep trying: the turn behind it must not fail just because another process holds the log.
  const saved = options.store.createSession(session, { keepTrying: true });
  saved.catch(() => undefined); // the awaiting caller gets the error; a turn refused before it began never awaits it
  return { session: toSessionRecord(session), saved };
}

/** Finds a session of ours by its id, or imports one made elsewhere that a lane finds in the workspace. */
export async function oldSession(
  options: SessionEngineOptions,
  id: string,
  request: TurnRequest,
): Promise<OpenedSession> {
  const known = await options.store.getSession(id);
  if (known !== undefined) return { session: known, saved: Promise.resolve() };
  const lane = findLane(options, request.lane);
  const workspace = request.workspace && allowedWorkspace(request.workspace, options.allowedWorkspaces);
  const upstream = workspace === undefined ? undefined : lane.findSession?.(id, workspace);
  if (upstream === undefined) throw new CaretError("session-not-found", `There is no session ${id}`);
  // Keep the id, so a client that sends it again finds the same session.
  const title = request.title ?? request.prompt;
  const { session, saved } = newSession(options, { ...request, lane: lane.name }, title, id);
  await saved;
  return { session: await options.store.updateSession(session.id, { upstream }), saved };
}

/** The lane of that name. Default: the lane of ordinary turns. */
export function findLane({ lanes, defaultLane }: SessionEngineOptions, name: LaneName | "auto" | undefined): Lane {
  return laneNamed(lanes, name === undefined || name === "auto" ? defaultLane : name);
}

/** Pins a named lane, or the only one available, to the session; otherwise each turn chooses. */
function laneOf(
  { lanes, defaultLane, autoLanes = [defaultLane] }: SessionEngineOptions,
  name: LaneName | "auto" | undefined,
): { readonly lane?: LaneName } {
  const wanted = name === undefined || name === "auto" ? undefined : name;
  if (wanted === undefined && autoLanes.length > 1) return {};
  return { lane: laneNamed(lanes, wanted ?? defaultLane).name };
}

function required(workspace: string | undefined): string {
  if (workspace !== undefined) return workspace;
  throw new CaretError("invalid-request", "A new session needs a workspace");
}
