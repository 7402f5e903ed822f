import { basename } from "node:path";
import { type AgentEvent, CaretError } from "@caret/protocol";
import { within } from "../async/within.ts";
import type { Lane } from "../lanes/lane.ts";
import type { SessionRecord, StoredEvent } from "../log/event-store.ts";
import { type FollowOptions, follow, pullEvents } from "../log/follow.ts";
import type { RequestedSandbox } from "../sandbox/sandboxes.ts";
import type { Budgets } from "./check-budget.ts";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import { createLaneSteering } from "./lane-steering.ts";
import { createLoopDetector } from "./loops/loop-detector.ts";
import { ownerOf, runTurn } from "./run-turn.ts";
import type { RunningTurn, TurnFollowOptions, TurnRequest } from "./session-engine.ts";
import { agentTurnTools } from "./tools/agent-turn-tools.ts";
import type { LazyToolbox } from "./tools/lazy-toolbox.ts";
import { noAsks } from "./tools/no-asks.ts";
import { gatewayTurnTools } from "./tools/own-turn-tools.ts";
import { clientTurnTools, type TurnTools } from "./tools/turn-tools.ts";
import type { LoopWatch } from "./tools/watch-loops.ts";
import { toolSandbox } from "./turn-sandbox.ts";
import { createTurnTrace, type TurnTrace } from "./turn-trace.ts";
import { createTurnWriter, type TurnWriter } from "./turn-writer.ts";

export interface SessionTurnOptions extends Omit<SessionEngineOptions, "toolbox" | "budgets"> {
  readonly toolbox: Pick<LazyToolbox, "open" | "rules" | "git"> | undefined;
  /** Budgets of the settings and the session, fixed when the turn began. */
  readonly budgets: Budgets;
  readonly session: SessionRecord;
  /** Resolves when the session itself is in the log. */
  readonly saved: Promise<unknown>;
  readonly lane: Lane;
  /** Why this lane was chosen, if it was not named. */
  readonly why?: string | undefined;
  /** Lanes that can take over as long as the turn has not acted. */
  readonly others?: readonly Lane[];
  readonly request: TurnRequest;
  readonly sandbox: RequestedSandbox | undefined;
  /** The log took neither the turn's end nor what came before: it must be ended later, for this reason. */
  readonly onUnended: (turn: { readonly turnId: string; readonly firstSeq: number }, reason: CaretError) => void;
}

/** How long the start of a turn waits for a log that another process holds. */
const START_MS = 10_000;

/** Begins a turn of a session. It runs on its own from here; its events can be followed from the log. */
export function startSessionTurn(options: SessionTurnOptions): RunningTurn {
  const { session, lane, request, store } = options;
  const turnId = request.turnId ?? options.newId();
  const model = request.model ?? session.model ?? options.defaults.model;
  const controller = new AbortController();
  const { signal } = controller;
  // `abort` keeps only the first reason.
  const stop = (error: CaretError): void => controller.abort(error);
  const trace = traceOf(options, turnId, model);
  const writer = createTurnWriter({
    ...options,
    store: trace?.watchAppends(store) ?? store,
    sessionId: session.id,
    turnId,
    lastSeq: session.lastSeq,
    onFailure: stop,
    onEnd: (outcome, usage) => {
      options.onTurnEnd?.({ outcome, usage });
      trace?.end(outcome);
    },
  });
  const loops = { guard: createLoopDetector(options.loops), write: writer.write, onLoop: stop };
  const tools = turnToolsOf(options, writer, signal, loops);
  const ofTools = lane.features.includes("steering") ? undefined : tools?.steering;
  const steering =
    ofTools ?? createLaneSteering({ lane, turnId, write: writer.write, hasEnded: () => writer.hasEnded });
  const written = Promise.all([options.saved, writer.write([startOf(options, turnId, model)], request)]);
  const firstSeq = session.lastSeq + 1;
  // The agent starts while the disk is at work, or only after it. Nothing it says can be sent before the start: the log keeps its order.
  const started = options.startsWhenDurable === true ? written : undefined;
  const settled = runTurn({ options, turnId, model, writer, signal, stop, tools, loops, trace, started });
  const log = { store, sessionId: session.id };
  const followed = (how: TurnFollowOptions = {}): FollowOptions => {
    const { afterSeq = firstSeq - 1, signal: reader, live = false, asSaid = live } = how;
    const { broken, said } = writer;
    return {
      from: afterSeq,
      until: { endOf: turnId },
      signal: reader === undefined ? broken : AbortSignal.any([reader, broken]),
      live: live ? writer : undefined,
      restore: asSaid ? said.restore : undefined,
    };
  };
  const begun = awaitStart(written, { writer, stop, settled, hasAgent: started === undefined });
  begun.catch(() => undefined); // for callers that await it; others learn the same from the outcome
  return {
    sessionId: session.id,
    turnId,
    firstSeq,
    lane: lane.name,
    isLaneChosen: options.why !== undefined,
    model,
    follow: (how) => pullEvents(log, followed(how)),
    listen: (take, how) => follow(log, followed(how), take),
    parked: tools?.parked,
    offerTools: (offer) => tools?.change?.(offer) ?? [],
    asks: tools?.asks ?? noAsks,
    forDecider: (events) => (tools === undefined ? events : asUndecided(events, tools, writer)),
    steer: (text) => steering.add(text),
    unsentSteering: () => steering.unsent(),
    cancel: (reason = "The turn was stopped") => stop(new CaretError("cancelled", reason)),
    interrupt: stop,
    begun,
    hasActed: () => writer.acts.hasActed,
    outcome: writer.outcome,
    settled,
  };
}

function traceOf(
  { tracer, request, session, lane }: SessionTurnOptions,
  turnId: string,
  model: string,
): TurnTrace | undefined {
  if (tracer === undefined) return undefined;
  const about = { sessionId: session.id, turnId, lane: lane.name, model };
  return createTurnTrace({ tracer, parent: request.traceparent, ...about });
}

function startOf(options: SessionTurnOptions, turnId: string, model: string): AgentEvent {
  const { lane, why, session, request, sandbox } = options;
  const owner = ownerOf(options);
  const images = (request.images ?? []).map(({ path, mediaType }) => ({ name: basename(path), mediaType }));
  return {
    type: "turn-start",
    turnId,
    lane: lane.name,
    ...(why === undefined ? {} : { laneReason: why }),
    model,
    workspace: session.workspace,
    prompt: request.prompt,
    ...(images.length === 0 ? {} : { images }),
    ...(sandbox === undefined ? {} : { sandbox: sandbox.word }),
    ...(request.client === undefined ? {} : { client: request.client }),
    ...(owner === undefined ? {} : { owner }),
    ...(request.mode === undefined || request.mode === "agent" ? {} : { mode: request.mode }),
  };
}

interface Starting {
  readonly writer: TurnWriter;
  readonly stop: (error: CaretError) => void;
  readonly settled: Promise<void>;
  /** The agent was started without waiting for the log. */
  readonly hasAgent: boolean;
}

/**
 * Waits for the turn's start to be logged. If the log is held for too long, the turn is stopped; its start and end are logged once the log
 * is free again.
 */
async function awaitStart(written: Promise<unknown>, { writer, stop, settled, hasAgent }: Starting): Promise<void> {
  const over = written.catch(() => undefined); // handled below
  if (!(await within(over, START_MS))) {
    const how = hasAgent
      ? { retryable: false, fix: "The agent had begun: see what it has done, then send it again." }
      : {};
    const error = new CaretError("overloaded", "Another process holds the event log, so that no turn can start", how);
    stop(error);
    writer.breakOff(error);
    throw error;
  }
  try {
    await written;
  } catch (reason) {
    stop(new CaretError("cancelled", "the log cannot be written"));
    await settled;
    throw reason;
  }
}

/** A person decides about the original, not the redacted form. */
function asUndecided(events: readonly StoredEvent[], tools: TurnTools, { said }: TurnWriter): readonly StoredEvent[] {
  const whole = events.map((stored) => {
    const event = tools.isUndecided(stored.event) ? said.find(stored.seq) : undefined;
    return event === undefined ? stored : { ...stored, event };
  });
  return whole.every((stored, index) => stored === events[index]) ? events : whole;
}

function turnToolsOf(
  options: SessionTurnOptions,
  { calls, acts }: TurnWriter,
  signal: AbortSignal,
  loops: LoopWatch,
): TurnTools | undefined {
  const { request, parkedLimitMs, toolbox } = options;
  const common = {
    ...loops,
    calls,
    acts,
    parkedLimitMs,
    askLimitMs: options.askLimitMs ?? parkedLimitMs,
    now: options.wallClock,
    signal,
  };
  if (request.clientTools !== undefined) return clientTurnTools(request.clientTools, common);
  if (toolbox === undefined) return undefined;
  if (request.agentTools !== undefined)
    return agentTurnTools(request.agentTools, {
      ...common,
      rules: toolbox.rules,
      git: toolbox.git,
      workspace: options.session.workspace,
    });
  if (request.gatewayTools === undefined) return undefined;
  const attended = request.attended === true;
  const sandbox = toolSandbox(options, request.gatewayTools.realWorkspace);
  const mode = request.mode ?? options.defaults.mode;
  const readsOnly = mode === "agent" ? undefined : mode;
  return gatewayTurnTools(request.gatewayTools, { ...common, openToolbox: toolbox.open, attended, readsOnly, sandbox });
}
