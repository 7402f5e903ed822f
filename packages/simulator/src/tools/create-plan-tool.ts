import { list, type ToolArgs, text } from "./tool-args.ts";
import type { ToolContext } from "./tool-context.ts";
import { refusalText, type ToolDraft } from "./tool-draft.ts";
import { toTodoItems } from "./update-todos-tool.ts";

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
    work: () => ({ result, ok: true, output: "The plan was accepted." }),
  };
}
