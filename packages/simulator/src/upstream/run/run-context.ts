import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { fromValue } from "@caret/protocol/agent-api";
import { AgentMode } from "@caret/protocol/agent-api/common";
import type { ConversationAction, ConversationHistory } from "@caret/protocol/agent-api/conversation";
import type { McpToolDefinition } from "@caret/protocol/agent-api/mcp";
import { type RequestContext, RequestContextSchema } from "@caret/protocol/agent-api/request-context";
import type { AgentRunRequest } from "@caret/protocol/agent-api/run";
import type { UserMessage } from "@caret/protocol/agent-api/user-message";
import { isRecord, parseRecord } from "../../json/json.ts";
import { type ModelMessage, type NativeToolName, nativeToolNames, type OfferedTool } from "../../model/model.ts";
import { arm } from "./act.ts";
import { toHistory } from "./given-history.ts";
import type { RunLink } from "./run-link.ts";

/** What a run's request says about the turn, with the context that came along or was asked for. */
export interface RunContext {
  readonly userMessage: UserMessage | undefined;
  readonly mode: "agent" | "plan" | "ask";
  readonly workspace: string;
  /** Rules and system prompts, from every place where a client may put them. */
  readonly system: string;
  readonly offeredTools: readonly OfferedTool[];
  /** Earlier messages that came with the request instead of with the conversation's state. */
  readonly history: readonly ModelMessage[];
}

export async function readRunContext(request: AgentRunRequest, link: RunLink): Promise<RunContext> {
  const { userMessage, requestContext, conversationHistory } = readAction(request.action);
  const context = requestContext ?? (await askForContext(link));
  const tools = [...(request.mcpTools?.mcpTools ?? []), ...(context?.tools ?? [])];
  const mode = userMessage?.mode ?? request.conversationState?.mode;
  return {
    userMessage,
    mode: mode === AgentMode.PLAN ? "plan" : mode === AgentMode.ASK ? "ask" : "agent",
    workspace: context?.env?.workspacePaths[0] ?? context?.env?.processWorkingDirectory ?? "/",
    system: systemOf(request, context),
    offeredTools: [...new Map(tools.map((tool) => [tool.name, toOfferedTool(tool)])).values()],
    history: toHistory(conversationHistory),
  };
}

/** What the user says with a request; undefined where a run is resumed. */
export function promptOf({ action }: AgentRunRequest): string | undefined {
  return readAction(action).userMessage?.text;
}

interface ReadAction {
  readonly userMessage?: UserMessage | undefined;
  readonly requestContext?: RequestContext | undefined;
  readonly conversationHistory?: ConversationHistory | undefined;
}

function readAction(action: ConversationAction | undefined): ReadAction {
  const chosen = action?.action;
  switch (chosen?.case) {
    case "userMessageAction":
    case "startPlanAction":
      return chosen.value;
    case "resumeAction":
    case "executePlanAction":
      return { requestContext: chosen.value.requestContext };
    default:
      return {};
  }
}

async function askForContext(link: RunLink): Promise<RequestContext | undefined> {
  const answer = await link.exec({ requestContextArgs: {} });
  if (answer.kind !== "result") return undefined;
  const json = arm(answer.result, "requestContextResult", "success", "requestContext");
  return json === undefined ? undefined : fromJson(RequestContextSchema, json, { ignoreUnknownFields: true });
}

function systemOf(request: AgentRunRequest, context: RequestContext | undefined): string {
  const rules = [...(context?.rules ?? []), ...(context?.nonFileRules ?? [])].map(({ content }) => content);
  const specs = [request.systemPromptSpec, context?.systemPromptOverride].map((spec) => spec?.spec.value);
  return [request.customSystemPrompt, ...specs, context?.cloudRule, ...rules].filter((part) => part).join("\n\n");
}

/** The schema comes as a Value, or as JSON in a string. */
function toOfferedTool({
  name,
  toolName,
  providerIdentifier,
  description,
  inputSchema,
  inputSchemaJson,
}: McpToolDefinition): OfferedTool {
  const schema: JsonValue | JsonObject | undefined = inputSchema === undefined ? undefined : fromValue(inputSchema);
  return {
    server: providerIdentifier,
    name: toolName || name.slice(providerIdentifier.length + 1),
    description,
    inputSchema: isRecord(schema) ? schema : (parseRecord(inputSchemaJson ?? "") ?? {}),
  };
}

/** How the headers name the agent's own tools, where that is not the tool's name with `_tool_call` after it. */
const headerNames: Partial<Record<NativeToolName, string>> = {
  write: "edit_tool_call",
  updateTodos: "update_todos_tool_call",
  webFetch: "web_fetch_tool_call",
  webSearch: "web_search_tool_call",
  askQuestion: "ask_question_tool_call",
  createPlan: "create_plan_tool_call",
};

export interface ToolHeaders {
  /** Undefined leaves every tool; an empty list leaves none. */
  readonly allowed: string | undefined;
  readonly excluded: string | undefined;
}

/** The agent's own tools that the client's headers leave. */
export function nativeToolsOf({ allowed, excluded }: ToolHeaders, mode: RunContext["mode"]): readonly NativeToolName[] {
  const split = (list: string) => list.split(",").map((name) => name.trim());
  const wanted = allowed === undefined ? undefined : split(allowed);
  const unwanted = split(excluded ?? "");
  return nativeToolNames.filter((name) => {
    const header = headerNames[name] ?? `${name}_tool_call`;
    if (name === "createPlan" && mode !== "plan") return false;
    return (wanted === undefined || wanted.includes(header)) && !unwanted.includes(header);
  });
}
