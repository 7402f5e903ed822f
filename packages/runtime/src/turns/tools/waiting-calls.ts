import { meansCall } from "../../calls/means-call.ts";
import type { LoggedCall, ToolResult } from "../../calls/tool-call.ts";
import type { CallLog } from "./call-log.ts";

/** Why a call ended without its client: it took too long, or the agent stopped waiting. */
export type Unanswered = "late" | "given-up";

export interface WaitingCallsOptions {
  readonly calls: Pick<CallLog, "begin" | "end">;
  /** How long a client may take, from the call or from its last answer to another call. */
  readonly limitMs: number;
}

/** The calls of a turn that wait for their results. */
export interface WaitingCalls {
  readonly all: readonly LoggedCall[];
  /** When something last happened, by `performance.now()`; undefined if none wait. */
  since(): number | undefined;
  /** Logs the call and resolves with its result. */
  add(call: LoggedCall, caller: WaitingCaller): Promise<ToolResult>;
  /** Gives a call its result; clients may respell its id. False if no such call waits. */
  answer(callId: string, result: ToolResult): boolean;
  /** Ends the calls for whose tool (by the agent's name) `reasonFor` gives a reason. */
  refuse(reasonFor: (agentName: string) => string | undefined): void;
  /** Removes and returns all calls without logging anything. */
  drop(result: ToolResult): readonly LoggedCall[];
  onUnanswered(listener: (why: Unanswered) => void): void;
}

export interface WaitingCaller {
  /** The agent's name of the tool. */
  readonly agentName: string;
  /** Aborted when the agent stops waiting. */
  readonly signal: AbortSignal;
}

interface WaitingCall {
  readonly call: LoggedCall;
  readonly agentName: string;
  readonly settle: (result: ToolResult) => void;
  /** Starts when the call is in the log. */
  timer: NodeJS.Timeout | undefined;
}

export function createWaitingCalls({ calls, limitMs }: WaitingCallsOptions): WaitingCalls {
  const waiting = new Map<string, WaitingCall>();
  let changedAt = 0;
  let tellUnanswered: (why: Unanswered) => void = () => undefined;

  const settle = (callId: string, result: ToolResult, status: "ok" | "error" | "interrupted"): boolean => {
    const entry = waiting.get(callId);
    if (entry === undefined) return false;
    waiting.delete(callId);
    // The agent may continue only once the log has what it was sent.
    void calls.end({ type: "tool-result", callId, status, output: result.text }).then(
      () => entry.settle(result),
      () => entry.settle(result),
    );
    return true;
  };

  const unanswered = {
    late: { text: `The client gave no result within ${limitMs} ms.`, status: "error" },
    "given-up": { text: "The agent no longer waits.", status: "interrupted" },
  } as const;

  const giveUp = (callId: string, why: Unanswered): void => {
    const { text, status } = unanswered[why];
    if (settle(callId, { text, isError: true }, status)) tellUnanswered(why);
  };

  return {
    get all() {
      return [...waiting.values()].map(({ call }) => call);
    },
    since: () => (waiting.size === 0 ? undefined : changedAt),
    async add(call, { agentName, signal }) {
      changedAt = performance.now();
      const answered = Promise.withResolvers<ToolResult>();
      const entry: WaitingCall = { call, agentName, settle: answered.resolve, timer: undefined };
      waiting.set(call.callId, entry);
      await calls.begin(call, { kind: "other", owner: "client" });
      entry.timer = setTimeout(giveUp, limitMs, call.callId, "late");
      const onAbort = (): void => giveUp(call.callId, "given-up");
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      const result = await answered.promise;
      clearTimeout(entry.timer);
      signal.removeEventListener("abort", onAbort);
      return result;
    },
    answer(sent, result) {
      const callId = [...waiting.keys()].find((waits) => meansCall(sent, waits)) ?? sent;
      const isAnswered = settle(callId, result, result.isError ? "error" : "ok");
      // The client is alive: give it the full time for its other calls.
      changedAt = performance.now();
      if (isAnswered) for (const { timer } of waiting.values()) timer?.refresh();
      return isAnswered;
    },
    refuse(reasonFor) {
      for (const [callId, { agentName }] of [...waiting]) {
        const text = reasonFor(agentName);
        if (text !== undefined) settle(callId, { text, isError: true }, "error");
      }
    },
    drop(result) {
      const left = [...waiting.values()];
      waiting.clear();
      for (const entry of left) entry.settle(result);
      return left.map(({ call }) => call);
    },
    onUnanswered(listener) {
      tellUnanswered = listener;
    },
  };
}
