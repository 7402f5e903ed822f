import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import type { AgentEventOf, AnswerQuestion } from "@caret/protocol";
import { toolCallIdOf } from "./tool-call-updates.ts";

type Question = AgentEventOf<"question">["questions"][number];
export type QuestionAnswer = NonNullable<AnswerQuestion["answers"]>[number];

interface AskedTurn {
  readonly sessionId: string;
  readonly turnId: string;
}

const CHOICE = "choose:";
const SKIP = "skip";

/** All questions of a request as one form. */
export function elicitation(
  { callId, title, questions }: AgentEventOf<"question">,
  { sessionId, turnId }: AskedTurn,
): CreateElicitationRequest {
  return {
    mode: "form",
    sessionId,
    ...(callId === undefined ? {} : { toolCallId: toolCallIdOf(turnId, callId) }),
    message: title ?? questions.map(({ prompt }) => prompt).join("\n"),
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(questions.map((question) => [question.id, fieldOf(question)])),
      required: questions.map(({ id }) => id),
    },
  };
}

function fieldOf({ prompt, options, allowMultiple }: Question): ElicitationPropertySchema {
  const choices = options.map(({ id, label }) => ({ const: id, title: label }));
  return allowMultiple
    ? { type: "array", title: prompt, items: { anyOf: choices } }
    : { type: "string", title: prompt, oneOf: choices };
}

/** Without `answers` the question is skipped: it was declined or dismissed. */
export function fromElicitation(
  response: CreateElicitationResponse,
  { questions }: AgentEventOf<"question">,
): AnswerQuestion {
  if (response.action !== "accept") return {};
  const content = (response.content ?? {}) as Readonly<Record<string, unknown>>;
  return {
    answers: questions.map(({ id }) => ({ questionId: id, optionIds: [content[id] ?? []].flat().map(String) })),
  };
}

/** One question for a client without forms: its options as those of a permission. Only one can be chosen. */
export function questionAsPermission(
  question: Question,
  { requestId, callId }: AgentEventOf<"question">,
  { sessionId, turnId }: AskedTurn,
): RequestPermissionRequest {
  const choices = question.options.map(
    ({ id, label }): PermissionOption => ({ optionId: CHOICE + id, name: label, kind: "allow_once" }),
  );
  return {
    sessionId,
    toolCall: {
      toolCallId: toolCallIdOf(turnId, callId ?? requestId),
      title: question.prompt,
      kind: "other",
      status: "pending",
    },
    options: [...choices, { optionId: SKIP, name: "Skip", kind: "reject_once" }],
  };
}

/** Undefined: skipped. */
export function fromPermission(outcome: RequestPermissionOutcome, { id }: Question): QuestionAnswer | undefined {
  if (outcome.outcome !== "selected" || !outcome.optionId.startsWith(CHOICE)) return undefined;
  return { questionId: id, optionIds: [outcome.optionId.slice(CHOICE.length)] };
}
