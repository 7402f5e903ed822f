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

/** A session, and when it is in the log: what is written next may follow without waiting for the disk in between. */
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
  // A turn is behind it, which is not given up because another process holds the log.
  const saved = options.store.createSession(session, { keepTrying: true });
  saved.catch(() => undefined); // the caller that waits for it gets the error; a turn that was refused before it began does not
  return { session: toSessionRecord(session), saved };
}

/** A session of ours by its id, or one that was made elsewhere and that a lane can find in the workspace. */
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
  // It keeps its name, so that a client that sends it again finds the same session.
  const title = request.title ?? request.prompt;
  const { session, saved } = newSession(options, { ...request, lane: lane.name }, title, id);
  await saved;
  return { session: await options.store.updateSession(session.id, { upstream }), saved };
}

/** The lane of that name; where none is named, that of everyday turns. */
export function findLane({ lanes, defaultLane }: SessionEngineOptions, name: LaneName | "auto" | undefined): Lane {
  return laneNamed(lanes, name === undefined || name === "auto" ? defaultLane : name);
}

/** A session keeps a lane that was named, or the only one there is to choose; else each of its turns chooses. */
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
