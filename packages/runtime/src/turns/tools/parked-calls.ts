import type { AgentEvent } from "@caret/protocol";
import type { AnswerCall, LoggedCall, ToolOrigin, ToolResult } from "../../calls/tool-call.ts";
import type { CallLog } from "./call-log.ts";
import { createWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";

interface ParkedCallsOptions {
  readonly calls: CallLog;
  /** Maps the agent's name of a tool to the client's. Default: the same name. */
  readonly originOf?: (name: string) => ToolOrigin;
  /** Why a tool cannot be called now, for the agent; undefined if it can. */
  readonly refusalOf?: (name: string) => string | undefined;
  /** How long a client may take, from the call or from its last answer to another call. */
  readonly limitMs: number;
}

export interface ParkedCalls {
  /** Passes the agent's call to the client; resolves with the answer, or with an error if none will come. */
  readonly park: AnswerCall;
  /** False: the client gets one call at a time, in the agent's order. */
  setParallel(isParallel: boolean): void;
  /** Gives a call its result; clients may respell its id. False if no such call waits. */
  answer(callId: string, result: ToolResult): boolean;
  /** Refuses waiting calls that the client's changed tools no longer allow. */
  refuseUncallable(): void;
  open(): readonly LoggedCall[];
  /** When the client that runs them was last heard of, by `performance.now()`; undefined if none wait. */
  waitsSince(): number | undefined;
  /** How long to wait for further calls to send together with the waiting ones; infinite if none wait. */
  windowMs(): number;
  /** Notifies of calls that ended without their client. */
  readonly onUnanswered: WaitingCalls["onUnanswered"];
  /** The client turned away: refuses waiting calls and all later ones. */
  dismissAll(reason: string): void;
  /** Ends the turn's parked calls and returns the events to log before its end. No answer is accepted afterwards. */
  end(): readonly AgentEvent[];
}

const OVER: ToolResult = { text: "The turn is over.", isError: true };

export function createParkedCalls(options: ParkedCallsOptions): ParkedCalls {
  const { calls } = options;
  const waiting = createWaitingCalls(options);
  let hasEnded = false;
  let refusal: string | undefined;

  const refusalOf = (name: string): string | undefined => refusal ?? options.refusalOf?.(name);

  // Only calls whose turn it is may wait for the client to take the next one.
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

/** Serialises calls for a client that takes one at a time, in the agent's order. */
interface CallQueue {
  readonly call: AnswerCall;
  /** True: calls run side by side, including those held back. */
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
      // Waiters wake in order, so the oldest call goes first.
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
