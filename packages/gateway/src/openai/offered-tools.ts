import { z } from "zod";
import type { DoorRequest, OfferedTool } from "../door/door-request.ts";
import { invalidRequest } from "./read-body.ts";

const MAX_NAME = 256;

export const toolName = z.string("must be a text").min(1, "must not be empty").max(MAX_NAME, "is too long");

/** A tool's JSON Schema is passed on untouched; a tool without one takes no arguments. */
const parametersSchema = z
  .record(z.string(), z.unknown(), "must be a JSON Schema object")
  .nullish()
  .transform((schema) => schema ?? { type: "object", properties: {} });

export const functionSchema = z.looseObject(
  {
    name: toolName,
    description: z.string("must be a text").nullish(),
    parameters: parametersSchema,
  },
  "must be an object",
);

export function toOfferedTool(tool: z.infer<typeof functionSchema>, namespace?: string): OfferedTool {
  return {
    name: tool.name,
    inputSchema: tool.parameters,
    ...(typeof tool.description === "string" ? { description: tool.description } : {}),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

export const toolChoiceSchema = z
  .union(
    [z.enum(["auto", "none", "required"]), z.looseObject({ type: z.string() })],
    'must be "auto", "none", "required" or an object with a type',
  )
  .nullish();

/** Both formats name one function, one flat and one nested; other kinds of choice leave the agent free. */
export function toToolChoice(
  choice: z.infer<typeof toolChoiceSchema>,
  tools: readonly OfferedTool[],
): DoorRequest["toolChoice"] {
  if (typeof choice === "string") return choice;
  if (choice?.type !== "function") return "auto";
  const nested = choice["function"];
  const name = typeof nested === "object" && nested !== null && "name" in nested ? nested.name : choice["name"];
  if (typeof name !== "string") throw invalidRequest("tool_choice: must name the function");
  if (!tools.some((tool) => tool.name === name))
    throw invalidRequest(`tool_choice: there is no function "${name.slice(0, MAX_NAME)}" among the tools`);
  return { name };
}
