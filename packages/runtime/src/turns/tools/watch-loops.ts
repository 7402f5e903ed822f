import type { AgentEvent, CaretError } from "@caret/protocol";
import {
  type AnswerCall,
  type AnswerRefused,
  type ToolCall,
  type ToolResult,
  withWords,
} from "../../calls/tool-call.ts";
import type { GuardedOutcome, LoopDetector } from "../loops/loop-detector.ts";
import type { LoopVerdict } from "../loops/loop-verdict.ts";
import type { CallLog } from "./call-log.ts";

/** Outcome of a call, for the agent and for the loop detector, which ignores interrupted calls. */
export interface FinishedCall {
  readonly result: ToolResult;
  readonly outcome: GuardedOutcome | undefined;
}

/** What guarding a turn's calls needs. */
export interface LoopWatch {
  readonly guard: LoopDetector;
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  /** The turn goes in circles and must end. */
  readonly onLoop: (error: CaretError) => void;
}

export interface GuardCallsOptions extends LoopWatch {
  readonly run: (call: ToolCall, signal: AbortSignal) => Promise<FinishedCall>;
  readonly calls: Pick<CallLog, "refuse">;
}

/** Guards every call: may warn the agent, block the call, or end the turn. */
export function guardCalls({ run, calls, ...watch }: GuardCallsOptions): AnswerCall {
  const { guard } = watch;
  return async (call, signal) => {
    const judged = asJudged(call);
    const verdict = guard.before(judged);
    if (verdict.kind === "end") return stop(watch, verdict.error);
    if (verdict.kind === "block") return await calls.refuse(call, verdict.text, [verdict.notice]);
    const { result, outcome } = await run(call, signal);
    return outcome === undefined ? result : await comment(watch, call, result, guard.after(judged, outcome));
  };
}

/** The same guard for calls that a lane refuses before they can run. */
export function guardRefusals(watch: LoopWatch): AnswerRefused {
  return async (call, { reason, class: outcomeClass }) => {
    const refused = { text: reason, isError: true };
    try {
      const outcome = { class: outcomeClass, output: reason, isRefused: outcomeClass !== "permission" };
      return await comment(watch, call, refused, watch.guard.after(asJudged(call), outcome));
    } catch {
      return refused; // the log is broken, so the turn is about to end
    }
  };
}

async function comment(
  watch: LoopWatch,
  call: ToolCall,
  result: ToolResult,
  verdict: LoopVerdict,
): Promise<ToolResult> {
  if (verdict.kind === "proceed") return result;
  if (verdict.kind === "end") return stop(watch, verdict.error);
  await watch.write([verdict.notice]);
  if (verdict.kind === "warn") return withWords(call, result, verdict.text);
  return { text: verdict.text, isError: result.isError };
}

function stop({ onLoop }: LoopWatch, error: CaretError): ToolResult {
  onLoop(error);
  return { text: error.message, isError: true };
}

/** The exact arguments distinguish calls: the next lines of a file, the next page of a search. */
function asJudged({ name, input, exact }: ToolCall): ToolCall {
  return exact === undefined ? { name, input } : { name, input: { ...input, exact } };
}
