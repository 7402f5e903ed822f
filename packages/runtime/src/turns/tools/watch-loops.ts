import type { AgentEvent, CaretError } from "@caret/protocol";
import type { GuardedOutcome, LoopDetector } from "../loops/loop-detector.ts";
import type { LoopVerdict } from "../loops/loop-verdict.ts";
import type { CallLog } from "./call-log.ts";
import { type AnswerCall, type ToolCall, type ToolResult, withWords } from "./tool-call.ts";

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

  const comment = async (call: ToolCall, result: ToolResult, verdict: LoopVerdict): Promise<ToolResult> => {
    if (verdict.kind === "proceed") return result;
    if (verdict.kind === "end") return stop(verdict.error);
    await write([verdict.notice]);
    if (verdict.kind === "warn") return withWords(call, result, verdict.text);
    return { text: verdict.text, isError: result.isError };
  };

  return async (call, signal) => {
    const judged = asJudged(call);
    const verdict = guard.before(judged);
    if (verdict.kind === "end") return stop(verdict.error);
    if (verdict.kind === "block") return await calls.refuse(call, verdict.text, [verdict.notice]);
    const { result, outcome } = await run(call, signal);
    return outcome === undefined ? result : await comment(call, result, guard.after(judged, outcome));
  };
}

/** What a program asks besides makes another call of it: the next lines of a file, the next page of a search. */
function asJudged({ name, input, exact }: ToolCall): ToolCall {
  return exact === undefined ? { name, input } : { name, input: { ...input, exact } };
}
