import { basename } from "node:path";
import { type AgentEvent, CaretError, type TurnOutcome, type Usage } from "@caret/protocol";
import { within } from "../async/within.ts";
import type { Lane, LaneRequest } from "../lanes/lane.ts";
import type { SessionRecord, StoredEvent } from "../log/event-store.ts";
import { followEvents } from "../log/follow-events.ts";
import { interruptedEnd, noOpenParts, trackOpenParts } from "../log/interrupted-end.ts";
import type { Spent } from "./check-budget.ts";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import { prepareLaneRequest } from "./prepare-lane-request.ts";
import type { RunningTurn, TurnRequest } from "./session-engine.ts";
import type { LazyToolbox } from "./tools/lazy-toolbox.ts";
import { noAsks } from "./tools/no-asks.ts";
import { gatewayTurnTools } from "./tools/own-turn-tools.ts";
import { clientTurnTools, type TurnTools } from "./tools/turn-tools.ts";
import { budgetBefore, budgetDuring, toWarnings } from "./turn-budget.ts";
import { createTurnLog, type TurnLog } from "./turn-log.ts";
import { createTurnStopper, type TurnStopper } from "./turn-stopper.ts";
import { createWriteBehind } from "./write-behind.ts";

export interface SessionTurnOptions extends Omit<SessionEngineOptions, "toolbox"> {
  readonly toolbox: Pick<LazyToolbox, "open"> | undefined;
  readonly session: SessionRecord;
  /** Resolves when the session itself is in the log. */
  readonly saved: Promise<unknown>;
  readonly lane: Lane;
  readonly request: TurnRequest;
  /** The log took neither the turn's end nor what came before it: it has to be ended later, for this reason. */
  readonly onUnended: (turn: { readonly turnId: string; readonly firstSeq: number }, reason: CaretError) => void;
}

/** A turn, and when its start is durable: nobody is told of it before. */
export interface StartedTurn {
  readonly turn: RunningTurn;
  /** Rejects when the log does not take the start, or not in time; the turn is then stopped. */
  readonly begun: Promise<void>;
}

/** How long the start of a turn waits for a log that another process holds. */
const START_MS = 10_000;

interface TurnContext {
  readonly options: SessionTurnOptions;
  readonly turnId: string;
  readonly model: string;
  readonly log: TurnLog;
  /** Aborted when the turn is cancelled or stopped. */
  readonly signal: AbortSignal;
  readonly stopper: TurnStopper;
  /** Undefined: the agent runs its own. */
  readonly tools: TurnTools | undefined;
}

/** Begin a turn of a session. It runs by itself from here on; what it gives can be followed from the log. */
export function startSessionTurn(options: SessionTurnOptions): StartedTurn {
  const { session, lane, request, store } = options;
  const turnId = options.newId();
  const model = request.model ?? session.model ?? options.defaults.model;
  const controller = new AbortController();
  const log = createTurnLog({ ...options, sessionId: session.id, turnId, lastSeq: session.lastSeq });
  const stopper = createTurnStopper();
  const signal = AbortSignal.any([controller.signal, stopper.signal]);
  const tools = turnToolsOf(options, log, signal, stopper.stop);
  const context: TurnContext = { options, turnId, model, log, signal, stopper, tools };
  const images = (request.images ?? []).map(({ path, mediaType }) => ({ name: basename(path), mediaType }));
  const start: AgentEvent = {
    type: "turn-start",
    turnId,
    lane: lane.name,
    model,
    workspace: session.workspace,
    prompt: request.prompt,
    ...(images.length === 0 ? {} : { images }),
  };
  const written = Promise.all([options.saved, log.write([start], request)]);
  const firstSeq = session.lastSeq + 1;
  const ended = Promise.withResolvers<TurnOutcome>();
  const logBroke = new AbortController();
  // The agent starts while the disk is at work. Nothing it says can be told before this: the log keeps its order.
  const onEnd = (outcome: TurnOutcome, usage: Usage | undefined): void => {
    ended.resolve(outcome);
    options.onTurnEnd?.({ outcome, usage });
  };
  const settled = runToEnd(context, onEnd, logBroke);
  const turn: RunningTurn = {
    sessionId: session.id,
    turnId,
    firstSeq,
    lane: lane.name,
    model,
    follow({ afterSeq = firstSeq - 1, signal: left, live = false, asSaid = live } = {}) {
      const stop = left === undefined ? logBroke.signal : AbortSignal.any([left, logBroke.signal]);
      const followed = { store, sessionId: session.id, turnId, afterSeq, signal: stop };
      const whole = asSaid ? { ...followed, said: log.said } : followed;
      return followEvents(live ? { ...whole, live: log } : whole);
    },
    parked: tools?.parked,
    offerTools: (offer) => tools?.change?.(offer) ?? [],
    asks: tools?.asks ?? noAsks,
    forDecider: (events) => (tools === undefined ? events : asUndecided(events, tools, log)),
    steer: (text) => tools?.steering?.add(text) ?? Promise.reject(cannotSteer()),
    unsentSteering: () => tools?.steering?.unsent() ?? [],
    cancel: (reason = "The turn was stopped") => controller.abort(new CaretError("cancelled", reason)),
    interrupt: stopper.stop,
    outcome: ended.promise,
    settled,
  };
  return { turn, begun: awaitStart(written, turn) };
}

/** What was begun behind a log that others hold is in the log once they let go, with its end: the truth about it. */
async function awaitStart(written: Promise<unknown>, turn: RunningTurn): Promise<void> {
  const over = written.catch(() => undefined); // told below
  if (!(await within(over, START_MS))) {
    const error = new CaretError("overloaded", "Another process holds the event log, so that no turn can start");
    turn.interrupt(error);
    throw error;
  }
  try {
    await written;
  } catch (reason) {
    turn.cancel("the log cannot be written");
    await turn.settled;
    throw reason;
  }
}

/** A person decides about what was said, not about what is kept of it. */
function asUndecided(events: readonly StoredEvent[], tools: TurnTools, { said }: TurnLog): readonly StoredEvent[] {
  const whole = events.map((stored) => {
    const event = tools.isUndecided(stored.event) ? said.find(stored.seq) : undefined;
    return event === undefined ? stored : { ...stored, event };
  });
  return whole.every((stored, index) => stored === events[index]) ? events : whole;
}

/**
 * Never rejects. Whatever breaks, the turn gets its end in the log; only a log that cannot be written ends it without,
 * since nothing may be told that is not in it.
 */
async function runToEnd(
  context: TurnContext,
  onEnd: (outcome: TurnOutcome, usage: Usage | undefined) => void,
  logBroke: AbortController,
): Promise<void> {
  const open = noOpenParts();
  let hasEnded = false;
  let usage: Usage | undefined;
  const behind = createWriteBehind(context.log, (error) => context.stopper.stop(error));
  const write = async (events: readonly AgentEvent[]): Promise<void> => {
    const written = await behind.write(events);
    for (const { event } of written) {
      trackOpenParts(open, event);
      if (event.type === "usage") usage = event.usage;
    }
    const last = written.at(-1)?.event;
    if (last?.type !== "turn-end") return;
    await behind.drain();
    hasEnded = true;
    onEnd(last.outcome, usage);
  };
  try {
    for await (const events of turnEvents(context)) await write(withToolsEnd(events, context.tools));
  } catch (reason) {
    if (hasEnded) return;
    const closing = [...interruptedEnd(open).slice(0, -1), ...(context.tools?.end() ?? [])];
    await write([...closing, failedEnd(CaretError.from(reason))]).catch((broken: unknown) => {
      const { options, turnId } = context;
      const error = CaretError.from(broken);
      onEnd({ kind: "failed", error: options.redactor().redactValue(error.toInfo()) }, usage);
      logBroke.abort(broken);
      options.onUnended({ turnId, firstSeq: options.session.lastSeq + 1 }, error);
    });
  } finally {
    await context.tools?.settled();
  }
}

/** The events of a turn after its start: what the engine has to say first, then the lane's. */
async function* turnEvents(context: TurnContext): AsyncGenerator<readonly AgentEvent[]> {
  const { options } = context;
  const { store, budgets, session } = options;
  const { verdict, spent } = await budgetBefore(store, budgets, { sessionId: session.id, nowMs: options.wallClock() });
  if (verdict.kind === "exceeded") {
    yield [failedEnd(verdict.error)];
    return;
  }
  const warnings = toWarnings(verdict);
  if (warnings.length > 0) yield warnings;
  const { request, notices } = await prepareLaneRequest({ ...options, ...context });
  if (notices.length > 0) yield notices;
  yield* laneEvents(context, request, spent);
}

async function* laneEvents(
  context: TurnContext,
  request: LaneRequest,
  spent: Spent,
): AsyncGenerator<readonly AgentEvent[]> {
  const { options, log } = context;
  const { lane, store, session } = options;
  let hasEnded = false;
  const batches = lane.runTurn(request, {
    signal: context.signal,
    onUpstream: (upstream) => {
      // Not waited for: the events that follow go the same way behind it, and fail of whatever it fails of.
      store.updateSession(session.id, { upstream }, { keepTrying: true }).catch(() => undefined);
    },
    onRaw: log.noteRaw,
  });
  for await (const events of batches) {
    const overrun = overrunIn(events, context, spent);
    if (overrun !== undefined) context.stopper.stop(overrun);
    hasEnded ||= events.at(-1)?.type === "turn-end";
    yield context.stopper.explain(events);
  }
  if (!hasEnded) yield [failedEnd(new CaretError("internal", `The lane ${lane.name} left its turn without an end`))];
}

/** Calls that are still open when the turn ends are settled before its end. */
function withToolsEnd(events: readonly AgentEvent[], tools: TurnTools | undefined): readonly AgentEvent[] {
  const last = events.at(-1);
  if (tools === undefined || last?.type !== "turn-end") return events;
  return [...events.slice(0, -1), ...tools.end(), last];
}

function turnToolsOf(
  options: SessionTurnOptions,
  log: TurnLog,
  signal: AbortSignal,
  onLoop: (error: CaretError) => void,
): TurnTools | undefined {
  const { request, parkedLimitMs, toolbox } = options;
  const common = {
    write: log.write,
    newCallId: options.newCallId,
    parkedLimitMs,
    loops: options.loops ?? {},
    askLimitMs: options.askLimitMs ?? parkedLimitMs,
    now: options.wallClock,
    signal,
    onLoop,
  };
  if (request.clientTools !== undefined) return clientTurnTools(request.clientTools, common);
  if (request.gatewayTools === undefined || toolbox === undefined) return undefined;
  const attended = request.attended === true;
  return gatewayTurnTools(request.gatewayTools, { ...common, openToolbox: toolbox.open, attended });
}

/** The budget a running turn has used up, told by a usage report before its end. After its end there is nothing to stop. */
function overrunIn(
  events: readonly AgentEvent[],
  { options, model }: TurnContext,
  spent: Spent,
): CaretError | undefined {
  const usage: Usage | undefined = events.findLast((event) => event.type === "usage")?.usage;
  if (usage === undefined || events.at(-1)?.type === "turn-end") return undefined;
  const verdict = budgetDuring(options.budgets, spent, usage, model);
  return verdict.kind === "exceeded" ? verdict.error : undefined;
}

function failedEnd(error: CaretError): AgentEvent {
  return { type: "turn-end", outcome: { kind: "failed", error: error.toInfo() } };
}

function cannotSteer(): CaretError {
  return new CaretError("unsupported", "A turn whose tools the gateway does not run cannot be steered", {
    fix: "Stop the turn and send this as a new prompt.",
  });
}
