import type { JsonObject } from "@caret/protocol";
import { onHardBoundary } from "../assistant-text.ts";
import { writePlan } from "../plan-events.ts";
import { numberField, objectField, textField, wordField } from "../read-fields.ts";
import { readTodos } from "../tools/todo-items.ts";
import { readToolEntry, type ToolEntry } from "../tools/tool-entry.ts";
import { toOutcome } from "../tools/tool-outcome.ts";
import { isKnownCall, keepUnknown, nameCall, settleCall, startCall } from "../turn-draft.ts";
import { settleQuery } from "./interaction-query.ts";
import type { StreamJsonDraft } from "./stream-json-dialect.ts";
import { writeSubagentSteps } from "./subagent-steps.ts";
import { toToolCall } from "./to-tool-call.ts";

export function onToolCall(draft: StreamJsonDraft, event: JsonObject): void {
  const subtype = textField(event, "subtype");
  if (subtype === "started") onStarted(draft, event);
  else if (subtype === "completed") onCompleted(draft, event);
  else keepUnknown(draft, "stream-json", `tool_call:${subtype ?? "none"}`, event);
}

function onStarted(draft: StreamJsonDraft, event: JsonObject): void {
  const call = objectField(event, "tool_call");
  const entry = readToolEntry(call);
  onHardBoundary(draft);
  const started = toToolCall(callIdOf(draft, event, call), entry);
  if (!startCall(draft, started)) return;
  warnOfRivals(draft, entry);
  if (isPlan(entry)) writePlan(draft, { callId: started.callId, args: entry.args });
}

function onCompleted(draft: StreamJsonDraft, event: JsonObject): void {
  const call = objectField(event, "tool_call");
  const entry = readToolEntry(call);
  const callId = completedCallId(draft, event, call);
  // Some calls are only ever completed. Nothing was flushed before them, so the text around them is not split.
  if (!isKnownCall(draft, callId)) startCall(draft, toToolCall(callId, entry));
  const started = draft.openCalls.get(callId);
  if (isPlan(entry)) writePlan(draft, { callId, args: entry.args ?? started?.input, isLast: true });
  if (started === undefined) return;
  // A rejection omits the arguments; the start had them.
  const args = entry.args ?? started.input;
  const outcome = toOutcome(entry.native ? entry.name : undefined, entry.result, args);
  const durationMs = durationOf(call);
  if (started.kind === "task") writeSubagentSteps(draft, callId, entry.result);
  settleCall(draft, {
    type: "tool-result",
    callId,
    ...outcome,
    ...(durationMs === undefined ? {} : { durationMs }),
  });
  settleQuery(draft, callId, outcome.status);
  if (outcome.status === "ok") writeTodos(draft, callId, entry, args);
}

/** Ids can contain a newline and are kept whole. A call without one gets ours. */
function callIdOf(draft: StreamJsonDraft, event: JsonObject, call: JsonObject | undefined): string {
  return givenCallId(event, call) ?? nameCall(draft);
}

/** A completion without an id belongs to the only open call, if there is exactly one. */
function completedCallId(draft: StreamJsonDraft, event: JsonObject, call: JsonObject | undefined): string {
  const given = givenCallId(event, call);
  const [only, ...others] = draft.openCalls.keys();
  return given ?? (only !== undefined && others.length === 0 ? only : callIdOf(draft, event, call));
}

function givenCallId(event: JsonObject, call: JsonObject | undefined): string | undefined {
  const own = wordField(event, "call_id", "callId") ?? wordField(call, "toolCallId", "id");
  if (own !== undefined || call === undefined) return own;
  for (const key of Object.keys(call)) {
    const nested = wordField(objectField(objectField(call, key), "args"), "toolCallId");
    if (nested !== undefined) return nested;
  }
  return undefined;
}

/** Both times come from the machine's clock; the event's own timestamp is the server's and must not be mixed in. */
function durationOf(call: JsonObject | undefined): number | undefined {
  const started = numberField(call, "startedAtMs");
  const completed = numberField(call, "completedAtMs");
  if (started === undefined || completed === undefined || completed < started) return undefined;
  return completed - started;
}

function warnOfRivals(draft: StreamJsonDraft, { name, rivals }: ToolEntry): void {
  if (rivals.length === 0) return;
  const message = `A tool call names several tools; ${name} was taken, not ${rivals.join(", ")}`;
  draft.events.push({ type: "notice", kind: "drift", message });
}

function isPlan({ native, name }: ToolEntry): boolean {
  return native && name === "createPlan";
}

function writeTodos(draft: StreamJsonDraft, callId: string, entry: ToolEntry, args: unknown): void {
  if (!entry.native || (entry.name !== "updateTodos" && entry.name !== "todo")) return;
  const asked = args as JsonObject | undefined;
  const answered = objectField(entry.result as JsonObject | undefined, "success");
  const items = readTodos(asked);
  draft.events.push({
    type: "todos",
    callId,
    items: items.length > 0 ? [...items] : [...readTodos(answered)],
    merge: asked?.["merge"] === true || answered?.["wasMerge"] === true,
  });
}
