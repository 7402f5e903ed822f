import { isRecord } from "../json/json.ts";
import { refusalText, type ToolDraft } from "./tool-draft.ts";
import { list, type TodoItem, type ToolArgs, type ToolContext, text } from "./tool-run.ts";

const SKIPPED = "Questions skipped by the user, continue with the information you already have";

/** In print mode nobody can answer, and the agent pretends that a user chose not to. */
export function askQuestionTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const args = {
    title: text(input, "title"),
    questions: list(input, "questions").filter(isRecord).map(toQuestion),
    runAsync: false,
    asyncOriginalToolCallId: "",
  };
  const result = { rejected: { reason: SKIPPED } };
  return {
    key: "askQuestionToolCall",
    args,
    query: {
      when: "before-started",
      queryType: "askQuestionInteractionQuery",
      request: { args, toolCallId: context.toolCallId },
      responseKey: "askQuestionInteractionResponse",
      response: { result },
    },
    hook: { toolName: "AskQuestion", input: args },
    actions: [],
    refuse: () => result,
    fail: (errorMessage) => ({ error: { errorMessage } }),
    work: async () =>
      (await context.asker?.question({ toolCallId: context.toolCallId, key: "askQuestionToolCall", args })) ?? {
        result,
        ok: false,
        output: SKIPPED,
        keepsArgs: true,
      },
  };
}

function toQuestion(question: ToolArgs, index: number) {
  return {
    id: text(question, "id") || `question_${index + 1}`,
    prompt: text(question, "prompt"),
    options: list(question, "options").map(toOption),
    allowMultiple: question["allowMultiple"] === true,
  };
}

function toOption(option: unknown) {
  if (!isRecord(option)) return { id: String(option), label: String(option) };
  const label = text(option, "label");
  return { id: text(option, "id") || label, label };
}

/** The agent accepts its own plan: nobody is asked in print mode. */
export function createPlanTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const args = {
    plan: text(input, "plan"),
    todos: toTodoItems(list(input, "todos"), context.now()),
    overview: text(input, "overview"),
    name: text(input, "name"),
    isProject: input["isProject"] === true,
    phases: [],
  };
  const result = { success: {}, planUri: "" };
  const fail = (error: string) => ({ error: { error } });
  return {
    key: "createPlanToolCall",
    args,
    query: {
      when: "before-started",
      queryType: "createPlanRequestQuery",
      request: { args, toolCallId: context.toolCallId },
      responseKey: "createPlanRequestResponse",
      response: { result },
    },
    hook: { toolName: "CreatePlan", input: args },
    actions: [],
    refuse: (refusal) => fail(refusalText(refusal)),
    fail,
    work: async () =>
      (await context.asker?.plan({ toolCallId: context.toolCallId, key: "createPlanToolCall", args })) ?? {
        result,
        ok: true,
        output: "The plan was accepted.",
      },
  };
}

export function updateTodosTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const merge = input["merge"] === true;
  const todos = toTodoItems(list(input, "todos"), context.now());
  const fail = (error: string) => ({ error: { error } });
  return {
    key: "updateTodosToolCall",
    args: { todos, merge },
    hook: { toolName: "TodoWrite", input: { todos, merge } },
    actions: [],
    refuse: (refusal) => fail(refusalText(refusal)),
    fail,
    work: async () => {
      const old = merge ? context.todos.items : [];
      context.todos.items = [...new Map([...old, ...todos].map((todo) => [todo.id, todo])).values()];
      const success = { todos: context.todos.items, totalCount: context.todos.items.length, wasMerge: merge };
      const output = context.todos.items.map(({ status, content }) => `${status} ${content}`).join("\n");
      const outcome = { result: { success }, ok: true, output };
      const call = { toolCallId: context.toolCallId, key: "updateTodosToolCall", args: { todos, merge } };
      await context.asker?.notify(call, outcome);
      return outcome;
    },
  };
}

/** Todos as the wire spells them: enum names for the status, times as strings. */
function toTodoItems(entries: readonly unknown[], now: number): readonly TodoItem[] {
  const time = String(now);
  return entries.filter(isRecord).map((entry, index) => ({
    id: text(entry, "id") || String(index + 1),
    content: text(entry, "content"),
    status: toStatus(text(entry, "status")),
    createdAt: time,
    updatedAt: time,
    dependencies: list(entry, "dependencies").map(String),
  }));
}

function toStatus(status: string): string {
  if (status.startsWith("TODO_STATUS_")) return status;
  return `TODO_STATUS_${(status || "pending").toUpperCase().replaceAll("-", "_")}`;
}
