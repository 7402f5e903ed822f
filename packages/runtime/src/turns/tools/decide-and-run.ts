import type { PolicyCall } from "../../policy/policy-parts.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { ToolCallResult, ToolRegistry } from "../../tools/tool-registry.ts";
import type { CallApprovals } from "./call-approvals.ts";

/** Maximum times a person is asked; a file that changes faster than that is left alone. */
const MAX_ASKED = 3;
const ASKED_AGAIN = "It has changed since you approved it, so this is how it would be now";

export interface DecideAndRunOptions {
  readonly registry: Pick<ToolRegistry, "call" | "preview">;
  readonly approvals: CallApprovals;
  readonly context: ToolContext;
  /** Called just before the tool starts. */
  readonly onStart: () => void;
}

/**
 * Runs an allowed call exactly as the person was shown it: if its effect has changed by the time of approval, it is shown and asked about
 * again. Undefined if the signal fired before approval.
 */
export async function decideAndRun(
  call: PolicyCall,
  options: DecideAndRunOptions,
): Promise<ToolCallResult | undefined> {
  // Judge, show and run the same input, even if the caller changes its arguments in the meantime.
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
    // A call that can no longer be done fails when it runs.
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
