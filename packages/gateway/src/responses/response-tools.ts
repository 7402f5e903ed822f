import { z } from "zod";
import type { OfferedTool } from "../door/door-request.ts";
import { functionSchema, toOfferedTool, toolName } from "../openai/offered-tools.ts";
import { readPart } from "../openai/read-body.ts";

const anyTool = z.looseObject({ type: z.string("must be a text") }, "must be an object");
const namespaceSchema = z.looseObject({ name: toolName, tools: z.array(anyTool, "must be a list") });

export const toolsSchema = z.array(anyTool, "must be a list").nullish();

/** Functions, alone or grouped in a namespace. What only OpenAI could run (`web_search` and the like) is left out. */
export function toResponseTools(tools: z.infer<typeof toolsSchema>): readonly OfferedTool[] {
  return (tools ?? []).flatMap((tool, index) => toTools(tool, `tools[${index}]`));
}

function toTools(tool: z.infer<typeof anyTool>, path: string): readonly OfferedTool[] {
  if (tool.type === "function") return [toOfferedTool(readPart(functionSchema, tool, path))];
  if (tool.type !== "namespace") return [];
  const { name, tools } = readPart(namespaceSchema, tool, path);
  return tools
    .map((nested, index) => ({ nested, nestedPath: `${path}.tools[${index}]` }))
    .filter(({ nested }) => nested.type === "function")
    .map(({ nested, nestedPath }) => toOfferedTool(readPart(functionSchema, nested, nestedPath), name));
}

/** The namespace a call must name. Two groups may offer tools of one name; then the agent's own word for it decides. */
export function namespaceOf(
  tools: readonly OfferedTool[],
  name: string,
  server: string | undefined,
): string | undefined {
  const named = tools.filter((tool) => tool.name === name);
  return (named.find(({ namespace }) => namespace !== undefined && namespace === server) ?? named[0])?.namespace;
}
