import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Act, type ActOutcome, type Args, arm, pick, reasonOf, records, resultOf, text } from "./act.ts";

/** The server would fetch what the client has approved; this one opens no socket and makes the page up. */
const webFetch: Act = (input, { link, toolCallId }) => {
  const url = text(input, "url");
  const args = { url, toolCallId };
  const run = async (): Promise<ActOutcome> => {
    const answer = arm(await link.query({ webFetchRequestQuery: { args } }), "webFetchRequestResponse") ?? {};
    if (!("approved" in answer)) return refused(answer);
    const markdown = `# ${url}\n\nThis page was made up by Caret's simulator; nothing was fetched.\n`;
    return { result: { success: { url, markdown } }, ok: true, output: markdown };
  };
  return { key: "webFetchToolCall", args, run };
};

const webSearch: Act = (input, { link, toolCallId }) => {
  const searchTerm = text(input, "searchTerm");
  const args = { searchTerm, toolCallId };
  const run = async (): Promise<ActOutcome> => {
    const answer = arm(await link.query({ webSearchRequestQuery: { args } }), "webSearchRequestResponse") ?? {};
    if (!("approved" in answer)) return refused(answer);
    const chunk = `A made-up result of Caret's simulator for "${searchTerm}"; nothing was searched.`;
    const reference = { title: `About ${searchTerm}`, url: "https://simulated.invalid/search", chunk };
    return { result: { success: { references: [reference] } }, ok: true, output: chunk };
  };
  return { key: "webSearchToolCall", args, run };
};

const askQuestion: Act = (input, { link, toolCallId }) => {
  const args = pick(input, ["title", "questions"]);
  const run = async (): Promise<ActOutcome> => {
    const query = { askQuestionInteractionQuery: { args, toolCallId } };
    const result = arm(await link.query(query), "askQuestionInteractionResponse", "result") ?? {};
    const success = arm(result, "success");
    if (success === undefined) return { result, ok: false, output: reasonOf(result) };
    return { result, ok: true, output: JSON.stringify(success["answers"] ?? []) };
  };
  return { key: "askQuestionToolCall", args, run };
};

const createPlan: Act = (input, { link, toolCallId }) => {
  const args = pick(input, ["plan", "overview", "name"]);
  const run = async (): Promise<ActOutcome> => {
    const query = { createPlanRequestQuery: { args, toolCallId } };
    const result = arm(await link.query(query), "createPlanRequestResponse", "result") ?? {};
    const ok = "success" in result;
    return { result, ok, output: ok ? "The plan was accepted." : reasonOf(result) };
  };
  return { key: "createPlanToolCall", args, run };
};

/** Todos are kept by the server: no client is asked. */
const updateTodos: Act = (input) => {
  const todos = records(input["todos"]).map(toTodo);
  const run = async (): Promise<ActOutcome> => {
    const output = todos.map(({ status, content }) => `${status} ${content}`).join("\n");
    return { result: { success: { todos, totalCount: todos.length } }, ok: true, output };
  };
  return { key: "updateTodosToolCall", args: { todos, merge: input["merge"] === true }, run };
};

function toTodo(entry: Args, index: number): { id: string; content: string; status: string } {
  const status = text(entry, "status") || "pending";
  return {
    id: text(entry, "id") || String(index + 1),
    content: text(entry, "content"),
    status: status.startsWith("TODO_STATUS_") ? status : `TODO_STATUS_${status.toUpperCase().replaceAll("-", "_")}`,
  };
}

/** A subagent is the client's to run: it opens a run of its own for it. */
const task: Act = (input, { link, toolCallId, conversationId, modelId }) => {
  const prompt = text(input, "prompt");
  const args = { description: text(input, "description"), prompt };
  const run = async (): Promise<ActOutcome> => {
    const wanted = { toolCallId, subagentType: "explore", modelId, prompt, parentConversationId: conversationId };
    const result = resultOf(await link.exec({ subagentArgs: wanted }), "subagentResult");
    const success = typeof result === "string" ? undefined : arm(result, "success");
    if (success !== undefined) {
      const agentId: JsonValue = success["agentId"] ?? "";
      return { result: { success: { agentId } }, ok: true, output: String(success["finalMessage"] ?? "") };
    }
    const error = typeof result === "string" ? result : reasonOf(result);
    return { result: { error: { error } }, ok: false, output: error };
  };
  return { key: "taskToolCall", args, run };
};

function refused(answer: JsonObject): ActOutcome {
  const reason = reasonOf(answer);
  return { result: { rejected: { reason } }, ok: false, output: reason };
}

export const askingActs = { webFetch, webSearch, askQuestion, createPlan, updateTodos, task } as const;
