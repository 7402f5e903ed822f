import type { ClientTool } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest } from "../../http/read-body.ts";
import { assertDistinct, type RequestTools } from "../offered-tools.ts";
import { customToolSchema, toCustomTool } from "./custom-tool.ts";
import { functionSchema, toOfferedTool } from "./offered-tools.ts";

const toolSchema = z.looseObject(
  {
    type: z.string("must be a string").default("function"),
    function: functionSchema.optional(),
    custom: customToolSchema.optional(),
  },
  "must be an object",
);

export const chatToolsSchema = z.array(toolSchema, "must be a list").nullish();

export function toChatTools(tools: z.infer<typeof chatToolsSchema>): RequestTools {
  const read = (tools ?? []).map((tool, index) => toTool(tool, `tools[${index}]`) ?? tool.type);
  const offered = read.filter((tool) => typeof tool !== "string");
  assertDistinct(offered);
  return { tools: offered, unavailableTools: read.filter((tool) => typeof tool === "string") };
}

/** Undefined: no client runs tools of that type. */
function toTool(tool: z.infer<typeof toolSchema>, path: string): ClientTool | undefined {
  if (tool.type === "function") return toOfferedTool(required(tool.function, `${path}.function`));
  if (tool.type === "custom") return toCustomTool(required(tool.custom, `${path}.custom`));
  return undefined;
}

function required<Value>(value: Value | undefined, path: string): Value {
  if (value === undefined) throw invalidRequest(`${path}: is missing`);
  return value;
}
