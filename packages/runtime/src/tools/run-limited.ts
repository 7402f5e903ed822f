import { CaretError } from "@caret/protocol";
import { within } from "../async/within.ts";
import { type Tool, type ToolContext, type ToolOutput, toFailedOutput } from "./tool.ts";

const DEFAULT_LIMIT_MS = 60_000;
/** After the signal a tool has this long to end what it started; then it is abandoned. */
const LET_GO_MS = 10_000;

export interface LimitedRun {
  readonly output: ToolOutput;
  /** The signal that had fired when the tool returned without success. */
  readonly stopped?: "cancelled" | "timed-out";
}

/** Runs a tool under its time limit. Never rejects, and always returns, even if the tool ignores its signal. */
export async function runLimited(tool: Tool, input: unknown, context: ToolContext): Promise<LimitedRun> {
  const limit = new AbortController();
  const limitMs = tool.timeLimitMs ?? DEFAULT_LIMIT_MS;
  const timer = setTimeout(() => limit.abort(tooLate(tool, limitMs)), limitMs);
  const signal = AbortSignal.any([context.signal, limit.signal]);
  const running = settle(tool, input, { ...context, signal });
  try {
    await Promise.race([running, fired(signal)]);
    // Unless the signal fired, the tool has already returned, and this does not wait.
    const output = (await within(running, LET_GO_MS))
      ? await running
      : toFailedOutput(new CaretError("timed-out", `${tool.name} was cancelled but did not stop`), context);
    if (output.failure === undefined) return { output };
    if (context.signal.aborted) return { output, stopped: "cancelled" };
    return limit.signal.aborted ? { output, stopped: "timed-out" } : { output };
  } finally {
    clearTimeout(timer);
  }
}

async function settle(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutput> {
  try {
    context.signal.throwIfAborted();
    return await tool.run(input, context);
  } catch (reason) {
    const { aborted, reason: why } = context.signal;
    return toFailedOutput(
      aborted ? (CaretError.is(why) ? why : new CaretError("cancelled", "Cancelled")) : reason,
      context,
    );
  }
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function tooLate(tool: Tool, limitMs: number): CaretError {
  return new CaretError("timed-out", `${tool.name} did not finish within its limit of ${limitMs} ms and was stopped`);
}
