import type { AgentEvent, CaretError } from "@caret/protocol";
import type { GuardedOutcome, LoopDetector } from "../loops/loop-detector.ts";
import type { LoopVerdict } from "../loops/loop-verdict.ts";
import type { AnswerCall, CallResult, OfferedCall } from "./tool-call.ts";

/** How a call ended, for the agent and for the guard; the guard is not told of calls that were interrupted. */
export interface EndedCall {
  readonly result: CallResult;
  readonly outcome: GuardedOutcome | undefined;
}

export interface GuardCallsOptions {
  readonly guard: LoopDetector;
  readonly run: (call: OfferedCall, signal: AbortSignal) => Promise<EndedCall>;
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly newCallId: () => string;
  /** The turn goes in circles and must end. */
  readonly onLoop: (error: CaretError) => void;
}

/** Put the guard around every call: it may warn the agent, keep a call from being made, or end the turn. */
export function guardCalls({ guard, run, write, newCallId, onLoop }: GuardCallsOptions): AnswerCall {
  const stop = (error: CaretError): CallResult => {
    onLoop(error);
    return { text: error.message, isError: true };
  };

  const comment = async (result: CallResult, verdict: LoopVerdict): Promise<CallResult> => {
    if (verdict.kind === "go-on") return result;
    if (verdict.kind === "end") return stop(verdict.error);
    await write([verdict.notice]);
    const text = verdict.kind === "warn" ? `${result.text}\n\n${verdict.text}` : verdict.text;
    return { text, isError: result.isError };
  };

  return async (call, signal) => {
    const asked = { tool: call.name, input: call.input };
    const verdict = guard.before(asked);
    if (verdict.kind === "end") return stop(verdict.error);
    if (verdict.kind === "block") {
      await write([...blockedCall(call, newCallId(), verdict.text), verdict.notice]);
      return { text: verdict.text, isError: true };
    }
    const { result, outcome } = await run(call, signal);
    return outcome === undefined ? result : await comment(result, guard.after(asked, outcome));
  };
}

/** The gateway answers a blocked call itself, whoever runs the others: it is never told to a client as a call to run. */
function blockedCall({ name, input }: OfferedCall, callId: string, output: string): readonly AgentEvent[] {
  return [
    { type: "tool-call", callId, name, kind: "other", input, owner: "gateway" },
    { type: "tool-result", callId, status: "rejected", output },
  ];
}
