import type { ClientTool } from "@caret/protocol";
import { z } from "zod";

const MAX_NAME = 256;

export const toolName = z.string("must be a string").min(1, "must not be empty").max(MAX_NAME, "is too long");

/** A tool's JSON Schema is passed on untouched; a tool without one takes no arguments. */
const parametersSchema = z
  .record(z.string(), z.unknown(), "must be a JSON Schema object")
  .nullish()
  .transform((schema) => schema ?? { type: "object", properties: {} });

export const functionSchema = z.looseObject(
  {
    name: toolName,
    description: z.string("must be a string").nullish(),
    parameters: parametersSchema,
  },
  "must be an object",
);

export function toOfferedTool(tool: z.infer<typeof functionSchema>, namespace?: string): ClientTool {
  return {
    name: tool.name,
    inputSchema: tool.parameters,
    ...(typeof tool.description === "string" ? { description: tool.description } : {}),
    ...(namespace === undefined ? {} : { namespace }),
  };
}
