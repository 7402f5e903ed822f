import type { JsonObject } from "@caret/protocol";
import { onSoftBoundary } from "../assistant-text.ts";
import { writePlan } from "../plan-events.ts";
import { arrayField, objectField, objectsField, readErrorText, textField, wordField } from "../read-fields.ts";
import { type ResultArm, readArm } from "../tools/tool-outcome.ts";
import { keepUnknown, remember, type ToolResultEvent } from "../turn-draft.ts";
import type { StreamJsonDraft } from "./stream-json-dialect.ts";

const ASK = "askQuestionInteractionQuery";
const refusingArm = /reject|den(?:y|ied)|error|fail|cancel|abort|skip/i;

/** In print mode queries are only a log: the CLI has answered them itself before we read them. */
export function onInteractionQuery(draft: StreamJsonDraft, event: JsonObject): void {
  const subtype = textField(event, "subtype");
  if (subtype === "request") onRequest(draft, event);
  else if (subtype === "response") onResponse(draft, event);
  else keepUnknown(draft, "stream-json", `interaction_query:${subtype ?? "none"}`, event);
}

function onRequest(draft: StreamJsonDraft, event: JsonObject): void {
  onSoftBoundary(draft);
  const query = objectField(event, "query");
  const queryType = queryTypeOf(event, query);
  const body = objectField(query, queryType);
  const args = objectField(body, "args") ?? body;
  const callId = wordField(body, "toolCallId") ?? wordField(args, "toolCallId");
  const requestId = requestIdOf(query);
  const head = { requestId, ...(callId === undefined ? {} : { callId }) };
  if (queryType !== ASK) {
    const { toolCallId, ...input } = args ?? {};
    const subject = subjectOf(queryType);
    noteQuery(draft, requestId, callId);
    if (subject === "createPlan") writePlan(draft, { callId, args, isFromQuery: true });
    draft.events.push({ type: "approval-request", ...head, subject, input });
    return;
  }
  const title = wordField(args, "title");
  draft.events.push({
    type: "question",
    ...head,
    ...(title === undefined ? {} : { title }),
    questions: objectsField(args, "questions").map(toQuestion),
  });
}

function noteQuery(draft: StreamJsonDraft, requestId: string, callId: string | undefined): void {
  const queried = new Map(draft.memory.queriedCalls);
  // Ids restart from zero repeatedly: an earlier query's call must not be attributed to this one.
  queried.delete(requestId);
  if (callId !== undefined) queried.set(requestId, callId);
  remember(draft, { queriedCalls: queried });
}

function onResponse(draft: StreamJsonDraft, event: JsonObject): void {
  const response = objectField(event, "response");
  const requestId = requestIdOf(response);
  const answer = Object.values(response ?? {}).find((value) => typeof value === "object" && value !== null);
  const body = objectField({ answer }, "answer");
  const result = objectField(body, "result") ?? body;
  if (queryTypeOf(event, response) === ASK) return onAnswer(draft, requestId, result);
  const arm = readArm(result ?? {});
  const decision = arm === undefined ? undefined : decisionOf(arm);
  if (arm === undefined || decision === undefined) return onUnclearAnswer(draft, requestId, event);
  const reason = decision === "approved" ? undefined : readErrorText(arm.value);
  draft.events.push({
    type: "approval-answer",
    requestId,
    decision,
    by: "agent",
    ...(reason === undefined ? {} : { reason }),
  });
}

/** Only a known refusal is a rejection: a new version's unknown name is not assumed to be one. */
function decisionOf({ name, value, isOk }: ResultArm): "approved" | "rejected" | undefined {
  if (isOk || (name === "approved" && value !== false)) return "approved";
  return name === "approved" || name === "success" || refusingArm.test(name) ? "rejected" : undefined;
}

/** An answer without a known result leaves the decision open: the call's outcome will tell. */
function onUnclearAnswer(draft: StreamJsonDraft, requestId: string, event: JsonObject): void {
  const callId = draft.memory.queriedCalls.get(requestId);
  if (callId === undefined) return keepUnknown(draft, "stream-json", "interaction_query:response without arm", event);
  remember(draft, { unclearQueries: new Map(draft.memory.unclearQueries).set(callId, requestId) });
}

/** The call of an unclear query has ended: it was approved unless it was rejected. */
export function settleQuery(draft: StreamJsonDraft, callId: string, status: ToolResultEvent["status"]): void {
  const requestId = draft.memory.unclearQueries.get(callId);
  if (requestId === undefined) return;
  const unclear = new Map(draft.memory.unclearQueries);
  unclear.delete(callId);
  remember(draft, { unclearQueries: unclear });
  const decision = status === "rejected" ? "rejected" : "approved";
  draft.events.push({ type: "approval-answer", requestId, decision, by: "agent" });
}

/** "Skipped by the user" is the CLI's invention: in print mode nobody could have skipped. */
function onAnswer(draft: StreamJsonDraft, requestId: string, arm: JsonObject | undefined): void {
  const success = objectField(arm, "success");
  if (success === undefined) {
    const reason = readErrorText(arm?.["rejected"] ?? arm?.["error"]);
    const stated = reason === undefined ? {} : { reason };
    draft.events.push({ type: "question-answer", requestId, outcome: "no-input-surface", ...stated });
    return;
  }
  const answers = objectsField(success, "answers").map((answer) => ({
    questionId: textField(answer, "questionId", "id") ?? "",
    optionIds: arrayField(answer, "selectedOptionIds").map(String),
  }));
  draft.events.push({ type: "question-answer", requestId, outcome: "answered", answers });
}

function queryTypeOf(event: JsonObject, query: JsonObject | undefined): string {
  return wordField(event, "query_type") ?? Object.keys(query ?? {}).find((key) => key !== "id") ?? "unknown";
}

function requestIdOf(value: JsonObject | undefined): string {
  return `query-${String(value?.["id"] ?? "unnamed")}`;
}

/** `webFetchRequestQuery` asks about `webFetch`. */
function subjectOf(queryType: string): string {
  return queryType.replace(/(?:Request|Interaction)?(?:Query|Args)$/, "");
}

function toQuestion(question: JsonObject) {
  return {
    id: textField(question, "id") ?? "",
    prompt: textField(question, "prompt") ?? "",
    options: objectsField(question, "options").map((option) => ({
      id: textField(option, "id") ?? "",
      label: textField(option, "label") ?? "",
    })),
    allowMultiple: question["allowMultiple"] === true,
  };
}
