import type { JsonObject } from "../../framing/frame.ts";
import { onSoftBoundary } from "../assistant-text.ts";
import { arrayField, objectField, objectsField, textField, wordField } from "../fields.ts";
import { readErrorText } from "../read-error.ts";
import { keepUnknown } from "../turn-draft.ts";
import type { StreamJsonDraft } from "./stream-json-state.ts";

const ASK = "askQuestionInteractionQuery";

/** In print mode queries are a log: the CLI has answered them itself by the time we read them. */
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
  const head = { requestId: requestIdOf(query), ...(callId === undefined ? {} : { callId }) };
  if (queryType !== ASK) {
    const { toolCallId, ...input } = args ?? {};
    draft.events.push({ type: "approval-request", ...head, subject: subjectOf(queryType), input });
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

function onResponse(draft: StreamJsonDraft, event: JsonObject): void {
  const response = objectField(event, "response");
  const requestId = requestIdOf(response);
  const answer = Object.values(response ?? {}).find((value) => typeof value === "object" && value !== null);
  const body = objectField({ answer }, "answer");
  const arm = objectField(body, "result") ?? body;
  if (queryTypeOf(event, response) === ASK) return onAnswer(draft, requestId, arm);
  const approved = arm?.["approved"] !== undefined || arm?.["success"] !== undefined;
  const reason = approved ? undefined : readErrorText(Object.values(arm ?? {})[0]);
  draft.events.push({
    type: "approval-answer",
    requestId,
    decision: approved ? "approved" : "rejected",
    by: "agent",
    ...(reason === undefined ? {} : { reason }),
  });
}

/** "Skipped by the user" is the CLI's invention: in print mode there is nobody who could have skipped. */
function onAnswer(draft: StreamJsonDraft, requestId: string, arm: JsonObject | undefined): void {
  const success = objectField(arm, "success");
  if (success === undefined) {
    const reason = readErrorText(arm?.["rejected"] ?? arm?.["error"]);
    const told = reason === undefined ? {} : { reason };
    draft.events.push({ type: "question-answer", requestId, outcome: "no-input-surface", ...told });
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
