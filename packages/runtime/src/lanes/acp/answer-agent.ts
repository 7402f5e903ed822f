import type { JsonObject, QuestionChoice } from "@caret/protocol";
import { toToolCall } from "../../decode/acp/acp-calls.ts";
import { objectField, objectsField, textField, wordField } from "../../decode/read-fields.ts";
import type { AskedQuestion, LanePeople, LaneRequest } from "../lane.ts";
import type { AgentMessage } from "./rpc-connection.ts";
import { RpcRefusal } from "./rpc-refusal.ts";

/** The option by which the agent disguises a question as an approval, for clients that do not know its question method. */
const SKIP_OPTION = "__ask_question_skip__";
const UNATTENDED = "Nobody can be asked in this turn";

/** Our names for the agent's tools, as used in policy rules. */
const ownNames: Readonly<Record<string, string>> = {
  shell: "exec",
  delete: "rm",
  webFetch: "web_fetch",
  webSearch: "web_search",
};

export interface AnswerAgentOptions {
  readonly request: Pick<LaneRequest, "force" | "mode" | "offered" | "people">;
  readonly signal: AbortSignal;
  /** Whether the updates have mentioned this call. */
  readonly knownCall: (callId: string) => boolean;
  /** A plan was accepted: the work starts once this prompt has its answer. */
  readonly onPlanAccepted: () => void;
}

/** Answers the agent's requests in a turn: by a person if one attends, otherwise by what the turn allows beforehand. */
export interface AnswerAgent {
  /** Rejects with an `RpcRefusal` for requests that cannot be served here. */
  answer(message: AgentMessage): Promise<unknown>;
}

export function createAnswerAgent(options: AnswerAgentOptions): AnswerAgent {
  const { request, signal } = options;
  const people: LanePeople | undefined = request.people;

  const permission = async (params: JsonObject): Promise<unknown> => {
    const choices = objectsField(params, "options");
    const call = objectField(params, "toolCall") ?? {};
    if (choices.some((choice) => textField(choice, "optionId") === SKIP_OPTION)) return await disguised(call, choices);
    const isAllowed = await mayRun(call);
    if (signal.aborted) return cancelled;
    // Never for always: that would be written to the user's own configuration.
    const option = choices.find(({ kind }) => kind === (isAllowed ? "allow_once" : "reject_once"));
    return option === undefined ? cancelled : selected(textField(option, "optionId") ?? "");
  };

  const mayRun = async (toolCall: JsonObject): Promise<boolean> => {
    const callId = textField(toolCall, "toolCallId") ?? "";
    const { name, kind, server, input } = toToolCall(callId, toolCall);
    // Offered tools are judged where they run; the agent has no others.
    if (request.offered !== undefined) return kind === "mcp";
    if (people === undefined) return request.force;
    return await people.approve(
      {
        tool: kind === "mcp" ? name : (ownNames[name] ?? name),
        kind,
        input,
        ...(server === undefined ? {} : { server }),
        ...(options.knownCall(callId) ? { callId } : {}),
      },
      signal,
    );
  };

  const disguised = async (call: JsonObject, choices: readonly JsonObject[]): Promise<unknown> => {
    const answers = await people?.question(toDisguisedQuestion(call, choices), signal);
    return selected(answers?.[0]?.optionIds[0] ?? SKIP_OPTION);
  };

  const question = async (params: JsonObject): Promise<unknown> => {
    if (people === undefined) return outcome({ outcome: "skipped", reason: UNATTENDED });
    const asked = toQuestion(params, options);
    const answers = await people.question(asked, signal);
    if (signal.aborted) return cancelled;
    if (answers === undefined) return outcome({ outcome: "skipped", reason: "The user skipped the question" });
    if (answers.some(({ text }) => text !== undefined))
      return outcome({ outcome: "skipped", reason: inWords(asked.questions, answers) });
    const chosen = answers.map(({ questionId, optionIds }) => ({ questionId, selectedOptionIds: optionIds }));
    return outcome({ outcome: "answered", answers: chosen });
  };

  const plan = async (params: JsonObject): Promise<unknown> => {
    // In plan mode the plan itself is the result: it needs no acceptance.
    if (people === undefined)
      return outcome({ outcome: request.mode === "plan" || request.force ? "accepted" : "rejected" });
    const isAccepted = await people.plan(toPlan(params, options), signal);
    if (signal.aborted) return cancelled;
    if (isAccepted) options.onPlanAccepted();
    return outcome({ outcome: isAccepted ? "accepted" : "rejected" });
  };

  const answers: Readonly<Record<string, (params: JsonObject) => Promise<unknown>>> = {
    "session/request_permission": permission,
    "cursor/ask_question": question,
    "cursor/create_plan": plan,
    "cursor/update_todos": async ({ todos = [] }) => outcome({ outcome: "accepted", todos }),
    "cursor/task": async ({ agentId, durationMs }) => outcome({ outcome: "completed", agentId, durationMs }),
  };

  return {
    async answer({ method, params }) {
      const answer = Object.hasOwn(answers, method) ? answers[method] : undefined;
      if (answer === undefined) throw RpcRefusal.unknownMethod(method);
      return await answer(params);
    },
  };
}

/** A client's answer must be nested. */
function outcome(inner: JsonObject): JsonObject {
  return { outcome: inner };
}

/** The answer to any request in a stopped turn. */
export const cancelled = outcome({ outcome: "cancelled" });

function selected(optionId: string): JsonObject {
  return outcome({ outcome: "selected", optionId });
}

type KnownCall = Pick<AnswerAgentOptions, "knownCall">;

function toQuestion(params: JsonObject, { knownCall }: KnownCall): AskedQuestion {
  const title = wordField(params, "title");
  return {
    ...callOf(params, knownCall),
    ...(title === undefined ? {} : { title }),
    questions: objectsField(params, "questions").map((question) => ({
      id: textField(question, "id") ?? "",
      prompt: textField(question, "prompt") ?? "",
      allowMultiple: question["allowMultiple"] === true,
      options: objectsField(question, "options").map((option) => ({
        id: textField(option, "id") ?? "",
        label: textField(option, "label") ?? "",
      })),
    })),
  };
}

function toDisguisedQuestion(call: JsonObject, choices: readonly JsonObject[]): AskedQuestion {
  const options = choices
    .map((choice) => ({ id: textField(choice, "optionId") ?? "", label: textField(choice, "name") ?? "" }))
    .filter(({ id }) => id !== SKIP_OPTION);
  return { questions: [{ id: "question", prompt: textField(call, "title") ?? "", allowMultiple: false, options }] };
}

function toPlan(params: JsonObject, { knownCall }: KnownCall): Parameters<LanePeople["plan"]>[0] {
  const { toolCallId: _, sessionId: __, ...input } = params;
  return { ...callOf(params, knownCall), input };
}

function callOf(params: JsonObject, knownCall: KnownCall["knownCall"]): { readonly callId?: string } {
  const callId = textField(params, "toolCallId");
  return callId !== undefined && knownCall(callId) ? { callId } : {};
}

/** The protocol accepts options only, so a person's words are passed as the reason for choosing none. */
function inWords(questions: AskedQuestion["questions"], answers: readonly QuestionChoice[]): string {
  const lines = answers.map(({ questionId, optionIds, text }) => {
    const question = questions.find(({ id }) => id === questionId);
    const labels = question?.options.filter(({ id }) => optionIds.includes(id)).map(({ label }) => label) ?? [];
    const said = [...labels, ...(text === undefined ? [] : [text])].join(", ");
    return `${question?.prompt ?? questionId} ${said}`;
  });
  return `The user answered in words: ${lines.join("; ")}`;
}
