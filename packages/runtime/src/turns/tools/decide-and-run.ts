import type { PolicyCall } from "../../policy/policy-parts.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { ToolCallResult, ToolRegistry } from "../../tools/tool-registry.ts";
import type { CallApprovals } from "./call-approvals.ts";

/** A file that changes faster than a person decides about it is left alone. */
const MAX_ASKED = 3;
const ASKED_AGAIN = "It has changed since you approved it, so this is how it would be now";

export interface DecideAndRunOptions {
  readonly registry: Pick<ToolRegistry, "call" | "preview">;
  readonly approvals: CallApprovals;
  readonly context: ToolContext;
  /** Called when the tool is about to be started. */
  readonly onStart: () => void;
}

/**
 * Runs a call that may run, and exactly what a person was shown of it: when that has changed by the time it was approved,
 * it is shown and asked about again. Undefined when the signal fired before it was approved.
 */
export async function decideAndRun(
  call: PolicyCall,
  options: DecideAndRunOptions,
): Promise<ToolCallResult | undefined> {
  // What is judged, shown and run is the same, whatever its caller does with the arguments meanwhile.
  return await decideAsOften({ ...call, input: structuredClone(call.input) }, options, 1);
}

async function decideAsOften(
  call: PolicyCall,
  options: DecideAndRunOptions,
  times: number,
): Promise<ToolCallResult | undefined> {
  const { registry, approvals, context } = options;
  const { tool, input } = call;
  const preview = (judgedPaths: readonly string[]) => registry.preview(tool, input, { ...context, judgedPaths });
  const hasChanged = async (shownState: string, judgedPaths: readonly string[]): Promise<boolean> => {
    const now = await preview(judgedPaths);
    // What can no longer be done at all fails by itself.
    return "preview" in now && now.preview.state !== shownState;
  };

  const note = times > 1 ? { note: ASKED_AGAIN } : {};
  const verdict = await approvals.decide(call, { signal: context.signal, preview, ...note });
  if ("failed" in verdict) return verdict.failed;
  const { isAllowed, reason, judgedPaths, leavesOut, shownState } = verdict;
  if (!isAllowed) return context.signal.aborted ? undefined : denied(tool, reason);
  if (shownState !== undefined && times < MAX_ASKED && (await hasChanged(shownState, judgedPaths)))
    return await decideAsOften(call, options, times + 1);
  options.onStart();
  return await registry.call(tool, input, { ...context, judgedPaths, leavesOut, shownState });
}

function denied(tool: string, reason: string): ToolCallResult {
  const output = `${tool} was not run: ${reason}`;
  return { status: "rejected", output, outcomeClass: "permission", durationMs: 0 };
}
