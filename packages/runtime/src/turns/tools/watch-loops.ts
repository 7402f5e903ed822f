import type { AgentEvent, CaretError } from "@caret/protocol";
import type { GuardedOutcome, LoopDetector } from "../loops/loop-detector.ts";
import type { LoopVerdict } from "../loops/loop-verdict.ts";
import type { CallLog } from "./call-log.ts";
import type { AnswerCall, ToolCall, ToolResult } from "./tool-call.ts";

/** How a call ended, for the agent and for the loop detector, which does not count interrupted calls. */
export interface FinishedCall {
  readonly result: ToolResult;
  readonly outcome: GuardedOutcome | undefined;
}

export interface GuardCallsOptions {
  readonly guard: LoopDetector;
  readonly run: (call: ToolCall, signal: AbortSignal) => Promise<FinishedCall>;
  readonly calls: Pick<CallLog, "refuse">;
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  /** The turn goes in circles and must end. */
  readonly onLoop: (error: CaretError) => void;
}

/** Put the guard around every call: it may warn the agent, keep a call from being made, or end the turn. */
export function guardCalls({ guard, run, calls, write, onLoop }: GuardCallsOptions): AnswerCall {
  const stop = (error: CaretError): ToolResult => {
    onLoop(error);
    return { text: error.message, isError: true };
  };

  const comment = async (result: ToolResult, verdict: LoopVerdict): Promise<ToolResult> => {
    if (verdict.kind === "proceed") return result;
    if (verdict.kind === "end") return stop(verdict.error);
    await write([verdict.notice]);
    if (verdict.kind === "warn") return { ...result, text: `${result.text}\n\n${verdict.text}` };
    return { text: verdict.text, isError: result.isError };
  };

  return async (call, signal) => {
    const verdict = guard.before(call);
    if (verdict.kind === "end") return stop(verdict.error);
    if (verdict.kind === "block") return await calls.refuse(call, verdict.text, [verdict.notice]);
    const { result, outcome } = await run(call, signal);
    return outcome === undefined ? result : await comment(result, guard.after(call, outcome));
  };
}
