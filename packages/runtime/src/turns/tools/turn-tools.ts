import { type AgentEvent, CaretError } from "@caret/protocol";
import type { AgentTool, AnswerCall, ToolCall, ToolOrigin, ToolResult } from "../../calls/tool-call.ts";
import type { LanePeople, OfferedTools } from "../../lanes/lane.ts";
import type { TurnActs } from "../../log/turn-acts.ts";
import { classifyOutcome } from "../loops/call-rounds.ts";
import type { LoopDetector } from "../loops/loop-detector.ts";
import type { ClientToolsOffer, ClientToolsRequest, TurnAsks } from "../session-engine.ts";
import type { CallLog } from "./call-log.ts";
import { noAsks } from "./no-asks.ts";
import { createParkedCalls, type ParkedCalls } from "./parked-calls.ts";
import type { TurnSteering } from "./turn-steering.ts";
import { type FinishedCall, guardCalls } from "./watch-loops.ts";

export interface TurnToolsOptions {
  /** Puts events into the turn's log, in order; nothing after the turn's end. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly calls: CallLog;
  /** A call that arrives is an act of the turn, before anything becomes of it. */
  readonly acts: TurnActs;
  readonly parkedLimitMs: number;
  /** Counts the calls of the turn. */
  readonly guard: LoopDetector;
  /** How long a person may take to answer. */
  readonly askLimitMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborted when the turn is cancelled or stopped. */
  readonly signal: AbortSignal;
  /** The agent goes in circles: the turn must end. */
  readonly onLoop: (error: CaretError) => void;
}

export interface ToolsOffer {
  readonly offered?: OfferedTools;
  readonly people?: LanePeople;
  readonly notices: readonly AgentEvent[];
}

/** The tools of a turn that the client or the gateway runs, or that a person is asked about. */
export interface TurnTools {
  /** The calls that wait for the client; undefined when none ever will. */
  readonly parked: ParkedCalls | undefined;
  readonly asks: TurnAsks;
  /** Whether a person still has a say in it: a request without an answer, a call of the gateway's without a result. */
  isUndecided(event: AgentEvent): boolean;
  /** Undefined where nothing can be said to the agent while it works. */
  readonly steering: TurnSteering | undefined;
  /** What the lane offers to the agent, or who is asked about the agent's own tools, and what there is to say about it. */
  offer(): Promise<ToolsOffer>;
  /** The client offers its tools again, with the next request of the turn. Gives those that it did not offer before. */
  change?(next: ClientToolsOffer): readonly AgentTool[];
  /** The turn is over: what the log needs before its end. Nothing can be called afterwards. */
  end(): readonly AgentEvent[];
  /** Closes what the tools ran in, after `end`; resolves with what there is to say of it before the turn's end. Absent: they had nothing. */
  leave?(): Promise<readonly AgentEvent[]>;
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>;
}

/** The client runs the tools: each call waits for its result. */
export function clientTurnTools(wanted: ClientToolsRequest, options: TurnToolsOptions): TurnTools {
  const { calls, parkedLimitMs, now } = options;
  const round = createToolRound(wanted);
  const parked = createParkedCalls({ calls, ...round, limitMs: parkedLimitMs });
  parked.setParallel(wanted.parallel ?? true);
  let hasEnded = false;
  const run = async (call: ToolCall, signal: AbortSignal): Promise<FinishedCall> => {
    const startedAt = now();
    const result = await parked.park(call, signal);
    if (hasEnded || signal.aborted) return { result, outcome: undefined };
    return { result, outcome: { class: classOf(result), output: result.text, durationMs: now() - startedAt } };
  };
  const call = answered(options.acts, guardCalls({ ...options, run }));
  const { system, realWorkspace } = wanted;
  const offered: OfferedTools = {
    owner: "client",
    tools: wanted.tools,
    system,
    realWorkspace,
    onToolsChange: round.onToolsChange,
    call,
    announce: calls.announce,
  };
  return {
    parked,
    asks: noAsks,
    isUndecided: () => false,
    steering: undefined,
    offer: async () => ({ offered, notices: [] }),
    change(next) {
      parked.setParallel(next.parallel ?? true);
      return round.change(next);
    },
    end() {
      hasEnded = true;
      return parked.end();
    },
    settled: async () => undefined,
  };
}

/**
 * An agent that waits for an answer gets one, even when the log is broken: its turn is about to end of that. From the call on the
 * turn has acted: it may be run at any moment, and nobody can take it back.
 */
export function answered(acts: TurnActs, call: AnswerCall): AnswerCall {
  return async (asked, signal) => {
    acts.note();
    try {
      return await call(asked, signal);
    } catch (reason) {
      return { text: CaretError.from(reason).message, isError: true };
    }
  };
}

/** Not every client says whether a result is an error: then its words decide. */
function classOf({ text, isError }: ToolResult): ReturnType<typeof classifyOutcome> {
  return classifyOutcome(isError ? { output: text, isError } : { output: text });
}

/** What of the client's tools can be called until its next request. */
interface ToolRound {
  /** What the client calls a tool that the agent knows by this name. */
  originOf(name: string): ToolOrigin;
  /** Why a tool cannot be called now, in words for the agent. */
  refusalOf(name: string): string | undefined;
  readonly onToolsChange: NonNullable<OfferedTools["onToolsChange"]>;
  /** Gives the tools that were not offered before. */
  change(next: ClientToolsOffer): readonly AgentTool[];
}

export function createToolRound(first: ClientToolsOffer): ToolRound {
  const listeners: ((tools: readonly AgentTool[]) => void)[] = [];
  const known = new Set(first.tools.map(({ name }) => name));
  let current = first;
  const find = (name: string): AgentTool | undefined => current.tools.find((tool) => tool.name === name);

  return {
    originOf: (name) => find(name)?.origin ?? { name },
    refusalOf(name) {
      const { callable } = current;
      if (known.has(name) && find(name) === undefined) return `The client does not offer ${name} any more.`;
      if (callable === undefined || callable.includes(name)) return undefined;
      if (callable.length === 0) return "The client wants an answer in words now: no tool can be called.";
      return `The client wants a call of ${callable.join(" or ")} now: no other tool can be called.`;
    },
    onToolsChange: (listener) => void listeners.push(listener),
    change(next) {
      const added = next.tools.filter(({ name }) => find(name) === undefined);
      const isSame = JSON.stringify(next.tools) === JSON.stringify(current.tools);
      current = next;
      for (const { name } of added) known.add(name);
      if (!isSame) for (const listener of listeners) listener(next.tools);
      return added;
    },
  };
}
