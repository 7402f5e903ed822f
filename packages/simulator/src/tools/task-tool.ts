import { readdirSync } from "node:fs";
import { isRecord } from "../json/json.ts";
import { refusalText, type ToolDraft } from "./tool-draft.ts";
import { optionalText, type ToolArgs, type ToolContext, text } from "./tool-run.ts";

const MAX_LISTED = 20;

/** A subagent: its inner steps are not streamed, but come with its last words. It looks at what is in the workspace. */
export function taskTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const description = text(input, "description");
  const prompt = text(input, "prompt");
  const given = input["subagentType"];
  const subagentType = isRecord(given) ? given : { [typeof given === "string" ? given : "explore"]: {} };
  const fail = (error: string) => ({ error: { error } });
  const hookPayload = { subagent_type: Object.keys(subagentType)[0], task: prompt };
  return {
    key: "taskToolCall",
    args: {
      description,
      prompt,
      subagentType,
      model: optionalText(input, "model") ?? "default",
      agentId: context.newId(),
      attachments: [],
      mode: "TASK_MODE_UNSPECIFIED",
      respondingToMessageIds: [],
      environment: "SUBAGENT_EXECUTION_ENVIRONMENT_UNSPECIFIED",
      machine: { sameMachine: {} },
    },
    hook: { toolName: "Task", input: { description, prompt } },
    before: [{ step: "subagentStart", payload: () => hookPayload }],
    after: ({ ok }) => (ok ? [{ step: "subagentStop", payload: () => ({ ...hookPayload, status: "completed" }) }] : []),
    actions: [],
    refuse: (refusal) => fail(refusalText(refusal)),
    fail,
    work: async () => {
      const startedAt = context.now();
      const words = `The simulated subagent looked at: ${description || prompt}`;
      const success = {
        conversationSteps: [lookAround(context), { assistantMessage: { text: words } }],
        agentId: context.newId(),
        isBackground: false,
        durationMs: String(context.now() - startedAt),
        backgroundReason: "SUBAGENT_BACKGROUND_REASON_UNSPECIFIED",
      };
      const outcome = { result: { success }, ok: true, output: words };
      const call = { toolCallId: context.toolCallId, key: "taskToolCall", args: { description, prompt, subagentType } };
      await context.asker?.notify(call, outcome);
      return outcome;
    },
  };
}

/** A step as the CLI reports it: a call together with its result. */
function lookAround({ workspace, newId }: ToolContext): object {
  const files = readdirSync(workspace).toSorted();
  const success = { pattern: "*", path: workspace, files: files.slice(0, MAX_LISTED), totalFiles: files.length };
  const glob = { args: { globPattern: "*", targetDirectory: workspace }, result: { success } };
  return { toolCall: { globToolCall: glob, toolCallId: newId() } };
}
