import type { HookStep } from "../policy/hook-config.ts";
import { type OwnHook, type Refusal, refusalText, type ToolDraft } from "./tool-draft.ts";
import type { HookAdditionalContext, ToolContext, ToolOutcome } from "./tool-run.ts";

/** Hooks first, then permissions, then the work, then the hooks that watch. Never rejects. */
export async function runGuarded(draft: ToolDraft, context: ToolContext, signal: AbortSignal): Promise<ToolOutcome> {
  const startedAt = context.now();
  const refusal = await findRefusal(draft, context, signal);
  const outcome = refusal === undefined ? await doWork(draft, signal) : refused(draft, refusal);
  const contexts = await tellHooks(draft, context, outcome, context.now() - startedAt);
  return contexts.length === 0 ? outcome : { ...outcome, hookAdditionalContexts: contexts };
}

async function findRefusal(draft: ToolDraft, context: ToolContext, signal: AbortSignal): Promise<Refusal | undefined> {
  const hooks: readonly OwnHook[] = [
    { step: "preToolUse", payload: () => callFields(draft, context) },
    ...(draft.before ?? []),
  ];
  for (const hook of hooks) {
    const { blocked } = await fire(hook, draft, context, signal);
    if (blocked !== undefined) return { kind: "hook", message: blocked };
  }
  const decisions = draft.actions.map(context.policy.decide);
  const denied = decisions.find(({ kind }) => kind === "denied");
  if (denied !== undefined) return denied as Refusal;
  if (decisions.every(({ kind }) => kind === "allowed")) return undefined;
  const { key, args } = draft;
  const isPermitted = await context.asker?.permit({ toolCallId: context.toolCallId, key, args });
  return isPermitted === true ? undefined : { kind: "not-approved" };
}

async function doWork(draft: ToolDraft, signal: AbortSignal): Promise<ToolOutcome> {
  try {
    return await draft.work(signal);
  } catch (reason) {
    const message = reason instanceof Error ? reason.message : String(reason);
    return { result: draft.fail(message), ok: false, output: message };
  }
}

function refused(draft: ToolDraft, refusal: Refusal): ToolOutcome {
  const words = refusalText(refusal);
  return { result: draft.refuse(refusal), ok: false, output: words === "" ? "Rejected by the user." : words };
}

async function tellHooks(
  draft: ToolDraft,
  context: ToolContext,
  outcome: ToolOutcome,
  duration: number,
): Promise<HookAdditionalContext[]> {
  const step: HookStep = outcome.ok ? "postToolUse" : "postToolUseFailure";
  const report = outcome.ok ? { tool_output: JSON.stringify(outcome.result) } : { error_message: outcome.output };
  const watching: readonly OwnHook[] = [
    { step, payload: () => ({ ...callFields(draft, context), ...report, duration }) },
    ...(draft.after?.(outcome) ?? []),
  ];
  const contexts: HookAdditionalContext[] = [];
  for (const hook of watching) {
    const verdict = await fire(hook, draft, context);
    contexts.push(...verdict.contexts.map((content) => ({ hookEventName: hook.step, content })));
  }
  return contexts;
}

function callFields({ hook }: ToolDraft, { toolCallId, workspace }: ToolContext): Readonly<Record<string, unknown>> {
  return { tool_name: hook.toolName, tool_input: hook.input, tool_use_id: toolCallId, cwd: workspace };
}

function fire({ step, payload }: OwnHook, { hook }: ToolDraft, context: ToolContext, signal?: AbortSignal) {
  return context.policy.runHooks({
    step,
    toolName: hook.toolName,
    payload: payload(),
    turn: context.turn,
    env: context.env,
    ...(signal === undefined ? {} : { signal }),
  });
}
