import { objectField, objectsField, wordField } from "../read-fields.ts";
import { readToolEntry } from "../tools/tool-entry.ts";
import { toOutcome } from "../tools/tool-outcome.ts";
import { isKnownCall, settleCall, startCall } from "../turn-draft.ts";
import type { StreamJsonDraft } from "./stream-json-dialect.ts";
import { toToolCall } from "./to-tool-call.ts";

/** More steps than these tell a reader nothing; the subagent's own words say what came of them. */
const MAX_STEPS = 500;

/**
 * The calls of a subagent, which the agent reports with the end of its task and not while it works: as calls of the task's own, so
 * that people see what it did.
 */
export function writeSubagentSteps(draft: StreamJsonDraft, taskId: string, result: unknown): void {
  const success = objectField({ result }, "result");
  const steps = objectsField(objectField(success, "success"), "conversationSteps").slice(0, MAX_STEPS);
  for (const [index, step] of steps.entries()) {
    const call = objectField(step, "toolCall");
    if (call === undefined) continue;
    const entry = readToolEntry(call);
    const given = wordField(call, "toolCallId", "id");
    // Ids of a subagent are its own: one that the turn knows already is another call.
    const callId = given === undefined || isKnownCall(draft, given) ? `${taskId}/${index + 1}` : given;
    if (!startCall(draft, { ...toToolCall(callId, entry), parentCallId: taskId })) continue;
    const outcome = toOutcome(entry.native ? entry.name : undefined, entry.result, entry.args);
    settleCall(draft, { type: "tool-result", callId, ...outcome });
  }
}
