import {
  CaretError,
  type LaneName,
  type SandboxWord,
  strictest,
  type Tracer,
  type TurnOutcome,
  type Usage,
} from "@caret/protocol";
import type { Lane, TurnMode } from "../lanes/lane.ts";
import type { EventStore, SessionRecord } from "../log/event-store.ts";
import { stoppedWithCaret } from "../log/interrupted-end.ts";
import { type AllowedWorkspaces, allowedWorkspace } from "../paths/allowed-workspace.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import { assertPrompt } from "./assert-prompt.ts";
import { type Budgets, withSessionBudget } from "./check-budget.ts";
import { freeSession } from "./free-session.ts";
import { createGivingWay } from "./give-way.ts";
import type { LoopLimits } from "./loops/loop-detector.ts";
import { createOccupiedSessions } from "./occupied-sessions.ts";
import { findLane, newSession, type OpenedSession, oldSession } from "./open-session.ts";
import { ownedOn, pickLane } from "./pick-lane.ts";
import type { RunningTurn, SessionEngine, TurnRequest } from "./session-engine.ts";
import { type SessionTurnOptions, startSessionTurn } from "./start-session-turn.ts";
import { createLazyToolbox, type ToolboxSettings } from "./tools/lazy-toolbox.ts";
import { budgetView, createQuotaGate, type Whose, whoseOf } from "./turn-budget.ts";
import { createTurnIntake } from "./turn-intake.ts";
import { isWalledIn, sandboxOf } from "./turn-sandbox.ts";
import { createUnendedTurns } from "./unended-turns.ts";

/** How long closing waits for a log that another process holds. */
const CLOSE_WAIT_MS = 2_000;

/** How a turn ended, and the last usage upstream reported for it. */
export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly usage: Usage | undefined;
}

export interface SessionEngineOptions {
  readonly store: EventStore;
  readonly lanes: readonly Lane[];
  /** The lane of ordinary turns. */
  readonly defaultLane: LaneName;
  /** Lanes that `auto` chooses from for each turn. Default: only the default lane. */
  readonly autoLanes?: readonly LaneName[];
  /** Whose tools an attending person is asked about, if `auto` can choose. */
  readonly attendedOwner?: "agent" | "gateway";
  readonly redactor: () => Redactor;
  readonly allowedWorkspaces: AllowedWorkspaces;
  /** Read when a turn begins, so a change applies to the next turn. */
  readonly budgets: () => Budgets;
  readonly defaults: {
    readonly model: string;
    readonly mode: TurnMode;
    readonly force: boolean;
    /** Minimum sandbox for all turns. Default: `off`. */
    readonly sandbox?: SandboxWord;
  };
  /** Omitted: a turn that asks for a sandbox is refused. */
  readonly sandboxes?: Sandboxes;
  /**
   * Start the agent only once the turn's start is in the log: for a remote log that can be away for long. A refused turn has then done
   * nothing and can be retried. Default: the agent starts while the log is being written.
   */
  readonly startsWhenDurable?: boolean | undefined;
  readonly maxRawBytes: number;
  /** The gateway's own tools. Omitted: it runs none. */
  readonly toolbox?: ToolboxSettings;
  /** How long a client may take to answer a parked call. */
  readonly parkedLimitMs: number;
  /** How often calls may repeat. Omitted limits use the loop detector's defaults. */
  readonly loops?: Partial<LoopLimits>;
  /** How long a person may take to answer a turn's question. Default: as long as a client. */
  readonly askLimitMs?: number;
  /** Maximum of concurrent turns; further ones are refused as `overloaded`. Default: no limit. */
  readonly maxTurns?: number | undefined;
  /** How long a turn must have waited for its client before it can give way to a new one, once `maxTurns` run. */
  readonly giveWayMs?: number | undefined;
  /** Called once for every ended turn, whether or not a client follows it. Must not throw. */
  readonly onTurnEnd?: ((end: TurnEnd) => void) | undefined;
  /** Omitted: turns are not traced. */
  readonly tracer?: Tracer | undefined;
  readonly newId: () => string;
  /** Makes an id that every client's format accepts. */
  readonly newCallId: () => string;
  readonly wallClock: () => number;
}

/** Sessions and their turns: decides who may start one and where it runs, and makes sure that it ends. */
export function createSessionEngine(options: SessionEngineOptions): SessionEngine {
  const { store } = options;
  const toolbox = options.toolbox && createLazyToolbox(options.toolbox);
  const unended = createUnendedTurns({ store });
  const occupied = createOccupiedSessions();
  const passQuota = createQuotaGate(options);

  const holdSession: SessionEngine["holdSession"] = (sessionId, work) =>
    occupied.hold(sessionId, () => (unended.has(sessionId) ? unended.end(sessionId).then(work) : work()));

  const begin = async (asked: TurnRequest): Promise<RunningTurn> => {
    assertPrompt(asked.prompt);
    const request = withAllowedDirectories(asked, options);
    assertApart(request, request.workspace, options.allowedWorkspaces);
    const old = request.sessionId === undefined ? undefined : await openSession(options, request);
    // Opened only here: a refused turn must not create a session.
    const start = async () => beginIn(old ?? (await openSession(options, request)), request);
    return await passQuota(old?.session ?? request, start);
  };

  const beginIn = async ({ session, saved }: OpenedSession, request: TurnRequest): Promise<RunningTurn> => {
    // A fresh id has no earlier workspace to compare with, and no other process can be running a turn of it.
    const isNew = request.sessionId === undefined && request.newSessionId === undefined;
    if (!isNew) assertSameWorkspace(session, request.workspace, options.allowedWorkspaces);
    assertApart(request, session.workspace, options.allowedWorkspaces);
    return await holdSession(session.id, async () => {
      const wanted = isWalledIn(options, request, session) ? await sandboxOf(options, request, session) : undefined;
      const sandbox = wanted && { ...wanted, sessionId: session.id };
      const picked = await pickLane({ ...autoOptions(options), request, session, isSandboxed: sandbox !== undefined });
      const free = isNew ? session : await freeSession(store, session);
      const onUnended: SessionTurnOptions["onUnended"] = (lost, reason) =>
        unended.add({ ...lost, sessionId: session.id }, options.redactor().redactValue(reason.toInfo()));
      const plan = { session: free, saved, ...picked, request: ownedOn(picked.lane, request), sandbox, onUnended };
      const budgets = withSessionBudget(options.budgets(), free.budget);
      const turn = startSessionTurn({ ...options, toolbox, budgets, ...plan });
      occupied.run(turn);
      return turn;
    });
  };

  const { giveWayMs } = options;
  const givingWay = createGivingWay({ turns: occupied.turns, giveWayMs, now: () => performance.now() });
  const intake = createTurnIntake(begin, { maxTurns: options.maxTurns, givingWay });
  const interruptTurns = async (): Promise<void> => {
    store.limitWaits(CLOSE_WAIT_MS);
    await Promise.all([intake.settled(), interruptAll(occupied.turns())]);
    await interruptAll(occupied.turns());
  };

  return {
    store,
    async startTurn(request) {
      const turn = await intake.start(request);
      await turn.begun;
      return turn;
    },
    beginTurn: intake.start,
    holdSession,
    createSession: (request) => createSession(options, request),
    runningTurn: occupied.turn,
    runningTurns: occupied.turns,
    hasUnendedTurn: unended.has,
    budget: (session, whose = {}) => budgetOf(options, session, whoseOf(session ?? whose)),
    ...sessionUpstream(options),
    stopTaking: intake.stop,
    interruptTurns,
    async close() {
      intake.stop();
      await interruptTurns();
      await unended.close();
      await Promise.all(options.lanes.map((lane) => lane.close()));
      await toolbox?.close();
      await store.close();
    },
  };
}

function budgetOf(
  { store, budgets, wallClock }: SessionEngineOptions,
  session: SessionRecord | undefined,
  whose: Whose,
) {
  const asked = { ...whose, sessionId: session?.id, nowMs: wallClock() };
  return budgetView(store, withSessionBudget(budgets(), session?.budget), asked);
}

function autoOptions({ lanes, autoLanes, defaultLane, attendedOwner }: SessionEngineOptions) {
  return { lanes, autoLanes: autoLanes ?? [defaultLane], prefersAgentTools: attendedOwner === "agent" };
}

async function createSession(
  options: SessionEngineOptions,
  request: Parameters<SessionEngine["createSession"]>[0],
): Promise<SessionRecord> {
  const { agentWorkspace } = withAllowedDirectories(request, options);
  const { session, saved } = newSession(options, request, request.title);
  await saved;
  // Without a named lane, the session's first turn may pick another lane than the default.
  if (session.lane === undefined) return session;
  const lane = findLane(options, session.lane);
  const directory = agentWorkspace ?? session.workspace;
  // A sandboxed program must not start outside its sandbox, so the first turn creates the chat.
  const isWalled = strictest(options.defaults.sandbox, session.sandbox) !== "off";
  const upstream = isWalled ? undefined : await lane.createSession?.(directory, AbortSignal.timeout(30_000));
  return upstream === undefined ? session : await options.store.updateSession(session.id, { upstream });
}

async function openSession(options: SessionEngineOptions, request: TurnRequest): Promise<OpenedSession> {
  if (request.sessionId !== undefined) {
    const opened = await oldSession(options, request.sessionId, request);
    assertUnchanged(opened.session, request.afterSeq);
    return opened;
  }
  // Check the sandbox first: a refused turn must not create a session.
  if (isWalledIn(options, request, undefined)) await sandboxOf(options, request, undefined);
  return newSession(options, request, request.title ?? request.prompt, request.newSessionId);
}

async function interruptAll(turns: readonly RunningTurn[]): Promise<void> {
  for (const turn of turns) turn.interrupt(stoppedWithCaret());
  await Promise.all(turns.map(({ settled }) => settled));
}

/** If other machines write this log too, the caller's decision may rest on an outdated state. */
function assertUnchanged({ id, lastSeq }: SessionRecord, afterSeq: number | undefined): void {
  if (afterSeq !== undefined && lastSeq !== afterSeq)
    throw new CaretError("session-busy", `Another turn of the session ${id} was written meanwhile`);
}

/** Restricts the gateway's tools, and agents that work outside their session's directory, to allowed workspaces. */
function withAllowedDirectories<Request extends Omit<TurnRequest, "prompt">>(
  request: Request,
  { toolbox, allowedWorkspaces }: SessionEngineOptions,
): Request {
  const { gatewayTools, clientTools, agentWorkspace } = request;
  if (gatewayTools !== undefined && toolbox === undefined)
    throw new CaretError("unsupported", "The gateway runs no tools here");
  if (agentWorkspace !== undefined && gatewayTools === undefined && clientTools === undefined)
    throw new CaretError("invalid-request", "An agent that runs its own tools works where its session does");
  const allowed = (path: string): string => allowedWorkspace(path, allowedWorkspaces);
  return {
    ...request,
    ...(agentWorkspace === undefined ? {} : { agentWorkspace: allowed(agentWorkspace) }),
    ...(gatewayTools === undefined
      ? {}
      : { gatewayTools: { ...gatewayTools, realWorkspace: allowed(gatewayTools.realWorkspace) } }),
  };
}

/** Agents without tools get per-turn settings files, so they must not run in a user directory. */
function assertApart(
  { gatewayTools, agentWorkspace }: TurnRequest,
  workspace: string | undefined,
  allowed: AllowedWorkspaces,
): void {
  const place = agentWorkspace ?? workspace;
  if (gatewayTools === undefined || place === undefined) return;
  if (allowedWorkspace(place, allowed) !== gatewayTools.realWorkspace) return;
  throw new CaretError("invalid-request", "An agent may not work in the directory that the gateway's tools work in", {
    fix: "Give it a directory of its own.",
  });
}

/** A chat belongs to its directory: in another one, upstream would silently begin a new chat. */
function assertSameWorkspace(session: SessionRecord, workspace: string | undefined, allowed: AllowedWorkspaces): void {
  const own = allowedWorkspace(session.workspace, allowed);
  if (workspace === undefined || allowedWorkspace(workspace, allowed) === own) return;
  throw new CaretError("invalid-request", `The session ${session.id} belongs to another workspace`, {
    fix: "Leave the workspace out, or start a new session.",
  });
}

/** What upstream holds for a session between its turns. `agentWorkspace` is the agent's own directory. */
function sessionUpstream(options: SessionEngineOptions): Pick<SessionEngine, "release" | "hasLostChat"> {
  return {
    async release({ workspace }: SessionRecord, agentWorkspace: string) {
      const places = new Set([workspace, agentWorkspace]);
      await Promise.all(options.lanes.flatMap((lane) => [...places].map((place) => lane.release?.(place))));
    },
    async hasLostChat(session: SessionRecord, agentWorkspace: string) {
      const lane = findLane(options, session.lane);
      const attachment = session.upstream.find((candidate) => candidate.lane === lane.name);
      return attachment !== undefined && !(await lane.canResume(attachment, agentWorkspace));
    },
  };
}
