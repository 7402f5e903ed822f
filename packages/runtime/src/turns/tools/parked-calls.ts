import type { AgentEvent } from "@caret/protocol";
import type { AnswerCall, LoggedCall, ToolOrigin, ToolResult } from "../../calls/tool-call.ts";
import type { CallLog } from "./call-log.ts";
import { createWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";

interface ParkedCallsOptions {
  readonly calls: CallLog;
  /** What the client calls a tool that the agent knows by this name. Absent: the same. */
  readonly originOf?: (name: string) => ToolOrigin;
  /** Why a tool cannot be called now, for the agent; undefined: it can. */
  readonly refusalOf?: (name: string) => string | undefined;
  /** How long a client may take, from the call or from its last answer to another one. */
  readonly limitMs: number;
}

export interface ParkedCalls {
  /** The agent calls one of the client's tools; resolves when the client has answered, or never will. */
  readonly park: AnswerCall;
  /** False: the client is given one call at a time, in the order in which the agent made them. */
  setParallel(isParallel: boolean): void;
  /** Give a call its result; its id may come back respelled. False when no such call waits. */
  answer(callId: string, result: ToolResult): boolean;
  /** The client has changed what can be called: calls that wait and cannot be called any more are refused. */
  refuseUncallable(): void;
  open(): readonly LoggedCall[];
  /** Since when nothing was heard of the client that runs them, by `performance.now()`; undefined: none waits. */
  waitsSince(): number | undefined;
  /** How long to wait for further calls to go out together with those that wait; without end when none does. */
  windowMs(): number;
  /** Hears of calls that have ended without their client. */
  readonly onUnanswered: WaitingCalls["onUnanswered"];
  /** The client has turned away: what waits is refused, and so is whatever the turn still asks for. */
  dismissAll(reason: string): void;
  /** The turn is over: what the log needs before its end. Nothing can be answered afterwards. */
  end(): readonly AgentEvent[];
}

const OVER: ToolResult = { text: "The turn is over.", isError: true };

export function createParkedCalls(options: ParkedCallsOptions): ParkedCalls {
  const { calls } = options;
  const waiting = createWaitingCalls(options);
  let hasEnded = false;
  let refusal: string | undefined;

  const refusalOf = (name: string): string | undefined => refusal ?? options.refusalOf?.(name);

  // Only those that are in their order may wait for the client to take the next one.
  const queue = createCallQueue(async ({ name, input }, signal) => {
    if (hasEnded || signal.aborted) return OVER;
    const reason = refusalOf(name);
    if (reason !== undefined) return await calls.refuse({ name, input }, reason);
    const origin = options.originOf?.(name) ?? { name };
    const server = origin.namespace === undefined ? {} : { server: origin.namespace };
    const call = { callId: calls.newId(), name: origin.name, ...server, input };
    return await waiting.add(call, { agentName: name, signal });
  });

  return {
    async park(call, signal) {
      await calls.inOrder(call);
      return await queue.call(call, signal);
    },
    setParallel: queue.setParallel,
    answer: waiting.answer,
    refuseUncallable: () => waiting.refuse(refusalOf),
    open: () => waiting.all,
    waitsSince: waiting.since,
    windowMs: () => (waiting.all.length === 0 ? Number.POSITIVE_INFINITY : calls.windowMs(queue.isParallel())),
    onUnanswered: waiting.onUnanswered,
    dismissAll(reason) {
      refusal = reason;
      waiting.refuse(() => reason);
    },
    end() {
      hasEnded = true;
      return waiting.drop(OVER).map(({ callId }) => ({
        type: "tool-result",
        callId,
        status: "interrupted",
        output: "The turn ended before this call had a result.",
      }));
    },
  };
}

/** Lets a client that takes one call at a time have one at a time, in the order in which the agent made them. */
interface CallQueue {
  readonly call: AnswerCall;
  /** True: calls go on side by side, those that were held back included. */
  setParallel(isParallel: boolean): void;
  isParallel(): boolean;
}

export function createCallQueue(answer: AnswerCall): CallQueue {
  let isParallel = true;
  let running = 0;
  let change = Promise.withResolvers<void>();
  const tellChange = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  return {
    async call(call, signal) {
      // The call that has waited longest learns of a change first.
      while (!isParallel && running > 0) await change.promise;
      running += 1;
      try {
        return await answer(call, signal);
      } finally {
        running -= 1;
        tellChange();
      }
    },
    setParallel(value) {
      isParallel = value;
      tellChange();
    },
    isParallel: () => isParallel,
  };
}
