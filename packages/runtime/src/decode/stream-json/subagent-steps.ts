import { objectField, objectsField, wordField } from "../read-fields.ts";
import { readToolEntry } from "../tools/tool-entry.ts";
import { toOutcome } from "../tools/tool-outcome.ts";
import { isKnownCall, settleCall, startCall } from "../turn-draft.ts";
import type { StreamJsonDraft } from "./stream-json-dialect.ts";
import { toToolCall } from "./to-tool-call.ts";

/** More steps tell a reader nothing; the subagent's own text reports the result. */
const MAX_STEPS = 500;

/** A subagent's calls, which the agent reports only when its task ends: shown as calls of the task, so people see what it did. */
export function writeSubagentSteps(draft: StreamJsonDraft, taskId: string, result: unknown): void {
  const success = objectField({ result }, "result");
  const steps = objectsField(objectField(success, "success"), "conversationSteps").slice(0, MAX_STEPS);
  for (const [index, step] of steps.entries()) {
    const call = objectField(step, "toolCall");
    if (call === undefined) continue;
    const entry = readToolEntry(call);
    const given = wordField(call, "toolCallId", "id");
    // A subagent's ids are its own: one already used in the turn denotes another call.
    const callId = given === undefined || isKnownCall(draft, given) ? `${taskId}/${index + 1}` : given;
    if (!startCall(draft, { ...toToolCall(callId, entry), parentCallId: taskId })) continue;
    const outcome = toOutcome(entry.native ? entry.name : undefined, entry.result, entry.args);
    settleCall(draft, { type: "tool-result", callId, ...outcome });
  }
}
