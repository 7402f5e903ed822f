import type { ModelCall, NativeToolName } from "../model/model.ts";
import { askQuestionTool } from "./ask-question-tool.ts";
import { createPlanTool } from "./create-plan-tool.ts";
import { deleteTool } from "./delete-tool.ts";
import { editTool } from "./edit-tool.ts";
import { getMcpToolsTool } from "./get-mcp-tools-tool.ts";
import { globTool } from "./glob-tool.ts";
import { grepTool } from "./grep-tool.ts";
import { lsTool } from "./ls-tool.ts";
import { draftMcpCall } from "./mcp-tool.ts";
import { readTool } from "./read-tool.ts";
import { runGuarded } from "./run-guarded.ts";
import { shellTool } from "./shell-tool.ts";
import { taskTool } from "./task-tool.ts";
import type { ToolContext } from "./tool-context.ts";
import type { DraftTool, ToolDraft } from "./tool-draft.ts";
import type { PreparedCall } from "./tool-run.ts";
import { unknownTool } from "./unknown-tool.ts";
import { updateTodosTool } from "./update-todos-tool.ts";
import { webFetchTool } from "./web-fetch-tool.ts";
import { webSearchTool } from "./web-search-tool.ts";
import { writeTool } from "./write-tool.ts";

const tools: Readonly<Record<NativeToolName | "getMcpTools", DraftTool>> = {
  shell: shellTool,
  read: readTool,
  edit: editTool,
  write: writeTool,
  delete: deleteTool,
  grep: grepTool,
  glob: globTool,
  ls: lsTool,
  updateTodos: updateTodosTool,
  webFetch: webFetchTool,
  webSearch: webSearchTool,
  task: taskTool,
  askQuestion: askQuestionTool,
  createPlan: createPlanTool,
  getMcpTools: getMcpToolsTool,
};

/** Turns what the model wants into what the wire shows, ready to run in the workspace. */
export function prepareCall(call: ModelCall, context: ToolContext): PreparedCall {
  const draft = draftCall(call, context);
  return {
    key: draft.key,
    args: draft.args,
    ...(draft.description === undefined ? {} : { description: draft.description }),
    ...(draft.query === undefined ? {} : { query: draft.query }),
    run: (signal) => runGuarded(draft, context, signal),
  };
}

function draftCall(call: ModelCall, context: ToolContext): ToolDraft {
  if (call.server !== undefined) return draftMcpCall({ ...call, server: call.server }, context);
  return isNative(call.name) ? tools[call.name](call.args, context) : unknownTool(call, context);
}

function isNative(name: string): name is keyof typeof tools {
  return Object.hasOwn(tools, name);
}
