import type { ModelCall, NativeToolName } from "../model/model.ts";
import { deleteTool, editTool, writeTool } from "./change-tools.ts";
import { lsTool } from "./ls-tool.ts";
import { draftMcpCall, getMcpToolsTool } from "./mcp-tools.ts";
import { readTool } from "./read-tool.ts";
import { runGuarded } from "./run-guarded.ts";
import { globTool, grepTool } from "./search-tools.ts";
import { shellTool } from "./shell-tool.ts";
import { askQuestionTool, createPlanTool, updateTodosTool } from "./talking-tools.ts";
import { taskTool } from "./task-tool.ts";
import type { DraftTool, ToolDraft } from "./tool-draft.ts";
import type { PreparedCall, ToolContext } from "./tool-run.ts";
import { webSearchTool } from "./web-search-tool.ts";
import { webFetchTool } from "./web-tools.ts";

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

/** A name that no tool has: models invent such calls, and the agent shows them and says so. */
function unknownTool({ name, args }: ModelCall, _context: ToolContext): ToolDraft {
  const fail = (message: string) => ({ error: { error: message } });
  return {
    key: `${name}ToolCall`,
    args,
    hook: { toolName: name, input: args },
    actions: [],
    refuse: () => fail("Rejected"),
    fail,
    work: () => ({ result: fail(`Unknown tool: ${name}`), ok: false, output: `Unknown tool: ${name}` }),
  };
}
