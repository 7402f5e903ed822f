import type { ClientTool } from "@caret/protocol";
import { z } from "zod";
import { toolName } from "./offered-tools.ts";

const INPUT = "input";

const grammarSchema = z.looseObject({ syntax: z.string(), definition: z.string() });

export const customToolSchema = z.looseObject(
  {
    name: toolName,
    description: z.string("must be a string").nullish(),
    format: z.looseObject({}, "must be an object").nullish(),
  },
  "must be an object",
);

/**
 * A tool whose input is one text. Agents call tools with JSON, so it has one argument that holds the text; nothing upstream
 * can enforce a grammar, so the agent is asked for it in words.
 */
export function toCustomTool(tool: z.infer<typeof customToolSchema>, namespace?: string): ClientTool {
  const { name, description, format } = tool;
  const grammar = grammarIn(format ?? {});
  const input = { type: "string", description: `The whole input of the tool, as plain text.${grammar}` };
  return {
    name,
    form: "custom",
    inputSchema: { type: "object", properties: { [INPUT]: input }, required: [INPUT], additionalProperties: false },
    ...(typeof description === "string" ? { description } : {}),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** Chat Completions nests the grammar one level deeper than Responses does. */
function grammarIn(format: Readonly<Record<string, unknown>>): string {
  const { data: grammar } = grammarSchema.safeParse(format["grammar"] ?? format);
  return grammar === undefined ? "" : ` It must match this ${grammar.syntax} grammar:\n${grammar.definition}`;
}

/** The text of a call. An agent that ignored the schema has its arguments passed on as they are. */
export function customInputOf(input: unknown): string {
  if (typeof input === "string") return input;
  const text = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>)[INPUT] : "";
  return typeof text === "string" ? text : (JSON.stringify(input) ?? "");
}
