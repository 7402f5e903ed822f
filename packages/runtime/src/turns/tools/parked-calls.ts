import type { AgentEvent } from "@caret/protocol";
import { createMentions } from "./mentions.ts";
import type { AnswerCall, CallResult, OfferedCall, ToolOrigin } from "./tool-call.ts";
import { createWaitingCalls, type ParkedCall, type WaitingCalls } from "./waiting-calls.ts";

interface ParkedCallsOptions {
  /** Puts events into the turn's log, in order. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly newCallId: () => string;
  /** What the client calls a tool that the agent knows by this name. Absent: the same. */
  readonly originOf?: (name: string) => ToolOrigin;
  /** Why a tool cannot be called now; undefined: it can. The agent is told. */
  readonly refusalOf?: (name: string) => string | undefined;
  /** How long a client may take, from the call or from its last answer to another one. */
  readonly limitMs: number;
  /** How long a call waits to be mentioned in the agent's own stream, so that the text before it is told before it. */
  readonly mentionMs?: number;
}

export interface ParkedCalls {
  /** The agent calls one of the client's tools; resolves when the client has answered, or never will. */
  readonly park: AnswerCall;
  /** False: the client is given one call at a time, in the order in which the agent made them. */
  setParallel(isParallel: boolean): void;
  /** The agent's stream mentioned such a call, and everything before the mention is in the log. */
  noteMention(call: OfferedCall): void;
  /** Give a call its result; its id may come back respelled. False when no such call waits. */
  answer(callId: string, result: CallResult): boolean;
  /** The client has said anew what can be called: calls that wait and cannot be called any more are refused. */
  refuseUncallable(): void;
  open(): readonly ParkedCall[];
  /** How many more the agent has announced. */
  announced(): number;
  /** Hears of calls that have ended without their client. */
  readonly onUnanswered: WaitingCalls["onUnanswered"];
  /** The client has turned away: what waits is refused, and so is whatever the turn still asks for. */
  dismissAll(reason: string): void;
  /** The turn is over: what the log needs before its end. Nothing can be answered afterwards. */
  end(): readonly AgentEvent[];
}

const OVER: CallResult = { text: "The turn is over.", isError: true };

export function createParkedCalls(options: ParkedCallsOptions): ParkedCalls {
  const waiting = createWaitingCalls(options);
  const mentions = createMentions();
  let hasEnded = false;
  let refusal: string | undefined;

  /** Told as the gateway's own, so that no client takes it for a call to run. */
  const refuse = async ({ name, input }: OfferedCall, reason: string): Promise<CallResult> => {
    const callId = options.newCallId();
    await options.write([
      { type: "tool-call", callId, name, kind: "other", input, owner: "gateway" },
      { type: "tool-result", callId, status: "rejected", output: reason },
    ]);
    return { text: reason, isError: true };
  };

  const refusalOf = (name: string): string | undefined => refusal ?? options.refusalOf?.(name);

  // Only those that are in their order may wait for the client to take the next one.
  const queue = createCallQueue(async ({ name, input }, signal) => {
    if (hasEnded || signal.aborted) return OVER;
    const reason = refusalOf(name);
    if (reason !== undefined) return await refuse({ name, input }, reason);
    const origin = options.originOf?.(name) ?? { name };
    const server = origin.namespace === undefined ? {} : { server: origin.namespace };
    const call = { callId: options.newCallId(), name: origin.name, ...server, input };
    return await waiting.add(call, { agentName: name, signal });
  });

  return {
    async park(call, signal) {
      await mentions.wait(call, options.mentionMs);
      return await queue.call(call, signal);
    },
    setParallel: queue.setParallel,
    noteMention: mentions.note,
    answer: waiting.answer,
    refuseUncallable: () => waiting.refuse(refusalOf),
    open: () => waiting.all,
    announced: mentions.outstanding,
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
      // Who has waited longest is told of a change first.
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
  };
}
