import type { ClientTool } from "@caret/protocol";
import { z } from "zod";
import { readPart } from "../../http/read-body.ts";
import { assertDistinct, type RequestTools } from "../offered-tools.ts";
import { customToolSchema, toCustomTool } from "../openai/custom-tool.ts";
import { functionSchema, toOfferedTool, toolName } from "../openai/offered-tools.ts";
import { localTools } from "./local-tools.ts";

const anyTool = z.looseObject({ type: z.string("must be a string") }, "must be an object");
const namespaceSchema = z.looseObject({ name: toolName, tools: z.array(anyTool, "must be a list") });

export const toolsSchema = z.array(anyTool, "must be a list").nullish();

type AnyTool = z.infer<typeof anyTool>;

/** Whatever the client runs, alone or grouped in a namespace. What only OpenAI could run (`web_search`) is not offered. */
export function toResponseTools(tools: z.infer<typeof toolsSchema>): RequestTools {
  const read = (tools ?? []).flatMap((tool, index) => toTools(tool, `tools[${index}]`));
  const offered = read.filter((tool) => typeof tool !== "string");
  assertDistinct(offered);
  return { tools: offered, unavailableTools: read.filter((tool) => typeof tool === "string") };
}

function toTools(tool: AnyTool, path: string): readonly (ClientTool | string)[] {
  if (tool.type !== "namespace") return toTool(tool, path);
  const { name, tools } = readPart(namespaceSchema, tool, path);
  return tools.flatMap((nested, index) => toTool(nested, `${path}.tools[${index}]`, name));
}

/** The tool, or the type of one that no client runs. */
function toTool(tool: AnyTool, path: string, namespace?: string): readonly (ClientTool | string)[] {
  if (tool.type === "function") return [toOfferedTool(readPart(functionSchema, tool, path), namespace)];
  if (tool.type === "custom") return [toCustomTool(readPart(customToolSchema, tool, path), namespace)];
  // Searching among deferred tools is needless where all of them are offered.
  if (tool.type === "tool_search" && tool["execution"] !== "client") return [];
  return [localTools[tool.type]?.(tool) ?? tool.type];
}
