import { isRecord } from "../policy/read-json-file.ts";
import { list, type ToolArgs, text } from "./tool-args.ts";
import type { ToolContext } from "./tool-context.ts";
import type { ToolDraft } from "./tool-draft.ts";

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
    work: () => ({ result, ok: false, output: SKIPPED, keepsArgs: true }),
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
