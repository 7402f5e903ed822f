import { CaretError, type ClientTool } from "@caret/protocol";
import type { DoorRequest } from "../door-request.ts";
import { assertDistinct, type RequestTools } from "../offered-tools.ts";
import { clientTool } from "./client-tools.ts";
import type { MessagesBody } from "./messages-body.ts";

type ToolBody = NonNullable<MessagesBody["tools"]>[number];
type ChoiceBody = NonNullable<MessagesBody["tool_choice"]>;

/** Whatever may be given to a tool that says nothing of its input. */
const ANY_INPUT = { type: "object" };

/** The tools the client runs itself: its own, and those of Anthropic's that a client runs. */
export function toRequestTools(tools: readonly ToolBody[]): RequestTools {
  const read = tools.flatMap((tool, index) => toTool(tool, index));
  const offered = read.filter((tool) => typeof tool !== "string");
  assertDistinct(offered);
  return { tools: offered, unavailableTools: read.filter((tool) => typeof tool === "string") };
}

/** The tool, or the type of one that Anthropic's servers run. */
function toTool(tool: ToolBody, index: number): readonly (ClientTool | string)[] {
  const { type, name, description, input_schema } = tool;
  const known = typeof type === "string" && !input_schema ? clientTool({ ...tool, type }) : undefined;
  if (known !== undefined) return [{ ...known, name: name ?? known.name }];
  if (typeof type === "string" && type !== "custom" && !input_schema) return isToolSearch(type) ? [] : [type];
  if (name === undefined) throw new CaretError("invalid-request", `tools.${index}.name: is missing.`);
  const described = description === undefined || description === null ? {} : { description };
  return [{ name, ...described, inputSchema: input_schema ?? ANY_INPUT }];
}

/** It searches among the tools that are deferred; all of them are offered from the start. */
function isToolSearch(type: string): boolean {
  return type.startsWith("tool_search_tool_");
}

export function toToolChoice(choice: ChoiceBody | undefined, tools: readonly ClientTool[]): DoorRequest["toolChoice"] {
  if (choice === undefined || choice.type === "auto") return "auto";
  if (choice.type === "none") return "none";
  if (choice.type === "any") return "required";
  const tool = tools.find(({ name }) => name === choice.name);
  if (tool !== undefined) return { name: tool.name };
  throw new CaretError("invalid-request", "tool_choice.name: is not among the tools that can be offered.");
}
