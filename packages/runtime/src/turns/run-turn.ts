import { type AgentEvent, CaretError } from "@caret/protocol";
import { type Lane, type LaneEntry, type LaneRequest, outcomeOfStop, type TakeEntries } from "../lanes/lane.ts";
import { prepareLaneRequest } from "./prepare-lane-request.ts";
import { runOnLanes } from "./run-on-lanes.ts";
import type { SessionTurnOptions } from "./start-session-turn.ts";
import type { TurnTools } from "./tools/turn-tools.ts";
import type { LoopWatch } from "./tools/watch-loops.ts";
import { openTurnBudget, unmeteredNotice, whoseOf } from "./turn-budget.ts";
import type { TurnTrace } from "./turn-trace.ts";
import type { TurnWriter } from "./turn-writer.ts";

/** A turn whose start is being written. */
export interface Turn {
  readonly options: SessionTurnOptions;
  readonly turnId: string;
  readonly model: string;
  readonly writer: TurnWriter;
  /** Aborted when the turn is cancelled or stopped; the reason says which. */
  readonly signal: AbortSignal;
  readonly stop: (error: CaretError) => void;
  /** Undefined: the agent runs its own tools. */
  readonly tools: TurnTools | undefined;
  readonly loops: LoopWatch;
  /** Undefined: turns are not traced. */
  readonly trace: TurnTrace | undefined;
  /** What the agent must wait for before it starts. */
  readonly started: Promise<unknown> | undefined;
}

/**
 * A turn from its start to its end. The complete path of a batch, from the agent's bytes to its reader:
 *
 *     runOnLanes         the picked lane, or another in its place until the turn has acted         turns/run-on-lanes.ts
 *     lane.runTurn       one attempt after the other, with the next profile or model      lanes/cli/cli-lane.ts
 *       openAttempt      program, profile, bridge, process                                lanes/cli/open-attempt.ts
 *       readAgent        bytes → lines → frames → events; upstream session, version,      lanes/cli/read-agent.ts
 *                        calls of offered tools hidden
 *     keepUpstream       stores the upstream session with ours                            here
 *     budget.overrunIn   stops a turn that has used up its budget                         turns/turn-budget.ts
 *     settleCalls        calls without a result get one before the end                    turns/tools/
 *     writer.append      join · cap · redact · number · commit · notify                   turns/turn-writer.ts
 *     writer.more        the same for more of a text, which skips the stages              turns/turn-writer.ts
 *                        between: `TakeBatch.more`
 *     follow             log → batches for one reader, at its own pace                    log/follow.ts
 *     answer             up to the client's move; stateless doors only                    conversations/until-parked.ts
 *
 * Never rejects. Whatever breaks, the turn gets its end in the log; only if the log cannot be written does it end without one, because
 * nothing may be sent that is not logged.
 */
export async function runTurn(turn: Turn): Promise<void> {
  const { options, model, writer, signal, stop, tools, trace } = turn;
  const { lane, store, budgets, session, wallClock } = options;
  try {
    if (turn.started !== undefined && !(await isWantedAfter(turn.started, turn))) return;
    const budget = await openTurnBudget(store, budgets, {
      ...whoseOf(session),
      sessionId: session.id,
      now: wallClock,
      model,
    });
    await writer.append(toEntries(budget.warnings));
    const batches = (entries: readonly LaneEntry[]): Promise<void> | void => {
      // The last acts of an agent with its own tools may never have been read, so assume one.
      if (signal.aborted && ownerOf(options) === undefined) writer.acts.note();
      keepUpstream(options, entries);
      const overrun = budget.overrunIn(entries);
      if (overrun !== undefined) stop(overrun);
      const settled = settleCalls(entries, tools);
      return options.sandbox !== undefined && isEnd(settled) ? appendEnd(turn, settled) : writer.append(settled);
    };
    // More text carries no upstream session, usage or end.
    const take: TakeEntries = Object.assign(batches, { more: writer.more });
    const prepare = async (on: Lane): Promise<LaneRequest> => {
      trace?.enterLane(on.name);
      const { request, notices } = await prepareLaneRequest({ ...options, ...turn, acts: writer.acts, lane: on });
      await writer.append(toEntries([...unmeteredNotice(on, budgets), ...notices]));
      return request;
    };
    const lanes = [lane, ...(options.others ?? [])] as const;
    await runOnLanes({ lanes, prepare, signal }, trace?.watchEntries(take) ?? take);
    if (!writer.hasEnded) throw new CaretError("internal", `The lane ${lane.name} left its turn without an end`);
  } catch (reason) {
    if (!writer.hasEnded) await endBroken(turn, CaretError.from(reason));
  } finally {
    await tools?.settled();
  }
}

/** Who runs the turn's tools. Undefined: the agent runs its own. */
export function ownerOf({ request, toolbox }: SessionTurnOptions): "client" | "gateway" | undefined {
  if (request.clientTools !== undefined) return "client";
  if (toolbox === undefined || request.agentTools !== undefined) return undefined;
  return request.gatewayTools === undefined ? undefined : "gateway";
}

/** Waits until the turn's start is in the log, and tells whether it is still wanted: one stopped in the meantime ends without an agent. */
async function isWantedAfter(started: Promise<unknown>, { signal, writer }: Turn): Promise<boolean> {
  await started;
  if (signal.aborted) await writer.append(toEntries([{ type: "turn-end", outcome: outcomeOfStop(signal) }]));
  return !signal.aborted;
}

/** Not awaited: later events take the same path behind it and fail for the same reason. */
function keepUpstream({ store, session }: SessionTurnOptions, entries: readonly LaneEntry[]): void {
  for (const { upstream } of entries)
    if (upstream !== undefined)
      store.attachUpstream(session.id, upstream, { keepTrying: true, isPatient: true }).catch(() => undefined);
}

/** Settles calls that are still open just before the turn's end. */
function settleCalls(entries: readonly LaneEntry[], tools: TurnTools | undefined): readonly LaneEntry[] {
  const last = entries.at(-1);
  if (tools === undefined || last?.event.type !== "turn-end") return entries;
  return [...entries.slice(0, -1), ...toEntries(tools.end()), last];
}

function isEnd(entries: readonly LaneEntry[]): boolean {
  return entries.at(-1)?.event.type === "turn-end";
}

/** Ends the turn only after the gateway's sandbox for it is closed and its results are taken over. */
async function appendEnd({ writer, tools }: Turn, entries: readonly LaneEntry[]): Promise<void> {
  const said = (await tools?.leave?.()) ?? [];
  await writer.append([...entries.slice(0, -1), ...toEntries(said), ...entries.slice(-1)]);
}

async function endBroken({ options, turnId, writer, tools }: Turn, error: CaretError): Promise<void> {
  try {
    await writer.fail(error, tools?.end() ?? []);
  } catch (broken) {
    const reason = CaretError.from(broken);
    writer.breakOff(reason);
    options.onUnended({ turnId, firstSeq: options.session.lastSeq + 1 }, reason);
  }
}

function toEntries(events: readonly AgentEvent[]): readonly LaneEntry[] {
  return events.map((event) => ({ event }));
}
