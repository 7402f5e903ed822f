import { type AgentEvent, CaretError } from "@caret/protocol";
import { classifyOutcome } from "../guard/classify-outcome.ts";
import { createLoopGuard } from "../guard/loop-guard.ts";
import { createPolicy } from "../policy/policy.ts";
import type { AnswerCall, CallResult, OfferedCall } from "../tools/bridge/bridge-messages.ts";
import { createMentions } from "../tools/bridge/mentions.ts";
import { createParkedCalls, type ParkedCalls } from "../tools/bridge/parked-calls.ts";
import type { ToolCallResult } from "../tools/tool-registry.ts";
import { createGatewayCalls, type GatewayCalls } from "./gateway-calls.ts";
import type { GatewayToolbox } from "./gateway-toolbox.ts";
import { type EndedCall, type GuardCallsOptions, guardCalls } from "./guard-calls.ts";
import type { OfferedTools } from "./lane.ts";
import type { ClientToolsRequest, GatewayToolsRequest } from "./session-engine.ts";

export interface TurnToolsOptions {
  /** Puts events into the turn's log, in order. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly newCallId: () => string;
  readonly parkedLimitMs: number;
  readonly now: () => number;
  /** Aborted when the turn is cancelled or stopped. */
  readonly signal: AbortSignal;
  /** The agent goes in circles: the turn must end. */
  readonly onLoop: (error: CaretError) => void;
}

/** The tools of a turn that somebody else than the agent runs. */
export interface TurnTools {
  /** The calls that wait for the client; undefined when none ever will. */
  readonly parked: ParkedCalls | undefined;
  /** What the lane offers to the agent, and what there is to say about it. */
  offer(): Promise<{ readonly offered: OfferedTools; readonly notices: readonly AgentEvent[] }>;
  /** The turn is over: what the log needs before its end. Nothing can be called afterwards. */
  end(): readonly AgentEvent[];
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>;
}

/** The client runs the tools: each call waits for its result. */
export function clientTurnTools(wanted: ClientToolsRequest, options: TurnToolsOptions): TurnTools {
  const { write, newCallId, parkedLimitMs, now } = options;
  const parked = createParkedCalls({ write, newCallId, limitMs: parkedLimitMs });
  let hasEnded = false;
  const run = async (call: OfferedCall, signal: AbortSignal): Promise<EndedCall> => {
    const startedAt = now();
    const result = await parked.park(call, signal);
    if (hasEnded || signal.aborted) return { result, outcome: undefined };
    return { result, outcome: { class: classOf(result), output: result.text, durationMs: now() - startedAt } };
  };
  const tell: GuardCallsOptions["write"] = async (events) => (hasEnded ? undefined : await write(events));
  const call = answered(guardCalls({ ...options, guard: createLoopGuard(), run, write: tell }));
  const offered: OfferedTools = {
    ...wanted,
    realWorkspace: wanted.realWorkspace,
    call,
    noteMention: parked.noteMention,
  };
  return {
    parked,
    offer: async () => ({ offered, notices: [] }),
    end() {
      hasEnded = true;
      return parked.end();
    },
    settled: async () => undefined,
  };
}

/** The gateway runs the tools, in the user's workspace. They are looked up when the turn has begun. */
export function gatewayTurnTools(
  { system, realWorkspace }: GatewayToolsRequest,
  openToolbox: () => Promise<GatewayToolbox>,
  options: TurnToolsOptions,
): TurnTools {
  const { write, newCallId, signal } = options;
  let calls: GatewayCalls | undefined;
  let hasEnded = false;
  const tell: GuardCallsOptions["write"] = async (events) => (hasEnded ? undefined : await write(events));
  return {
    parked: undefined,
    async offer() {
      const { registry, policy: rules, context, problems } = await openToolbox();
      const policy = createPolicy({ ...rules, workspace: realWorkspace, attended: false, newRequestId: newCallId });
      const mentions = createMentions();
      const opened = createGatewayCalls({
        registry,
        policy,
        context: { ...context, workspace: realWorkspace },
        signal,
        mentions,
        write: tell,
        newCallId,
      });
      calls = opened;
      const run = async (call: OfferedCall, callSignal: AbortSignal): Promise<EndedCall> =>
        toEnded(await opened.call(call, callSignal));
      const call = answered(guardCalls({ ...options, guard: createLoopGuard(), run, write: tell }));
      const tools = registry.list().map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      return {
        offered: { tools, system, realWorkspace, call, noteMention: mentions.note },
        notices: problems.map((message) => ({ type: "notice", kind: "error", message })),
      };
    },
    end() {
      hasEnded = true;
      return calls?.end() ?? [];
    },
    settled: async () => await calls?.settled(),
  };
}

/** An agent that waits for an answer gets one, even when the log is broken: its turn is about to end of that. */
function answered(call: AnswerCall): AnswerCall {
  return async (asked, signal) => {
    try {
      return await call(asked, signal);
    } catch (reason) {
      return { text: CaretError.from(reason).message, isError: true };
    }
  };
}

/** That a result is no error is not always told: then its words decide. */
function classOf({ text, isError }: CallResult): ReturnType<typeof classifyOutcome> {
  return classifyOutcome(isError ? { output: text, isError } : { output: text });
}

function toEnded({ status, output, outcomeClass, durationMs }: ToolCallResult): EndedCall {
  const result = { text: output, isError: status !== "ok" };
  return { result, outcome: status === "interrupted" ? undefined : { class: outcomeClass, output, durationMs } };
}
