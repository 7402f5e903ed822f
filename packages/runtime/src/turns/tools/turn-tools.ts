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
  /** Appends events to the turn's log, in order; ignored after the turn's end. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly calls: CallLog;
  /** An arriving call counts as an act of the turn at once. */
  readonly acts: TurnActs;
  readonly parkedLimitMs: number;
  /** Counts the turn's calls. */
  readonly guard: LoopDetector;
  /** How long a person may take to answer. */
  readonly askLimitMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborted when the turn is cancelled or stopped. */
  readonly signal: AbortSignal;
  /** The agent goes in circles: end the turn. */
  readonly onLoop: (error: CaretError) => void;
}

export interface ToolsOffer {
  readonly offered?: OfferedTools;
  readonly people?: LanePeople;
  readonly notices: readonly AgentEvent[];
}

/** The tools of a turn that the client or the gateway runs, or that a person is asked about. */
export interface TurnTools {
  /** Calls that wait for the client; undefined if the client runs none. */
  readonly parked: ParkedCalls | undefined;
  readonly asks: TurnAsks;
  /** Whether it is still undecided: a request without an answer, or a gateway call without a result. */
  isUndecided(event: AgentEvent): boolean;
  /** Undefined if the working agent cannot be steered. */
  readonly steering: TurnSteering | undefined;
  /** The tools that the lane offers, or the people asked about the agent's own, with notices. */
  offer(): Promise<ToolsOffer>;
  /** Applies the tools of the client's next request. Returns the newly offered ones. */
  change?(next: ClientToolsOffer): readonly AgentTool[];
  /** Ends the turn's tools and returns the events to log before its end. Nothing can be called afterwards. */
  end(): readonly AgentEvent[];
  /** Closes what the tools ran in, after `end`; resolves with events to log before the turn's end. Omitted: nothing to close. */
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
 * Turns a failure into an error result, so a waiting agent gets an answer even if the log is broken and the turn is about to end. From the
 * call on the turn has acted: the call can run at any moment and cannot be taken back.
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

/** Not every client marks errors; if not, the wording decides. */
function classOf({ text, isError }: ToolResult): ReturnType<typeof classifyOutcome> {
  return classifyOutcome(isError ? { output: text, isError } : { output: text });
}

/** The client's tools that are callable until its next request. */
interface ToolRound {
  /** Maps the agent's name of a tool to the client's. */
  originOf(name: string): ToolOrigin;
  /** Why a tool cannot be called now, in words for the agent. */
  refusalOf(name: string): string | undefined;
  readonly onToolsChange: NonNullable<OfferedTools["onToolsChange"]>;
  /** Returns the tools that were not offered before. */
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
