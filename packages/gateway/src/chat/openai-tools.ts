import { type ClientTool, parseJson } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest } from "../http/read-body.ts";
import type { SentTool } from "./client-tools.ts";
import type { DoorRequest } from "./door-request.ts";

/** A call's arguments parsed as JSON, or the original text if a model wrote something else. */
export function parseArguments(text: string): unknown {
  // A model's broken JSON is part of the transcript, so it is kept unchanged.
  return text.trim() === "" ? {} : parseJson(text, text);
}

const MAX_NAME = 256;

export const toolName = z.string("must be a string").min(1, "must not be empty").max(MAX_NAME, "is too long");

export const functionSchema = z.looseObject(
  {
    name: toolName,
    description: z.string("must be a string").nullish(),
    parameters: z.unknown().optional(),
  },
  "must be an object",
);

export function toFunctionTool(tool: z.infer<typeof functionSchema>, namespace?: string): SentTool {
  return {
    name: tool.name,
    inputSchema: tool.parameters,
    ...(typeof tool.description === "string" ? { description: tool.description } : {}),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

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
 * A tool whose input is one text. Agents call tools with JSON, so it gets one argument for the text. Nothing upstream can enforce a
 * grammar, so the description asks for it.
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

/** A call's text. If the agent ignored the schema, its arguments are passed on unchanged. */
export function customInputOf(input: unknown): string {
  if (typeof input === "string") return input;
  const text = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>)[INPUT] : "";
  return typeof text === "string" ? text : (JSON.stringify(input) ?? "");
}

const fields = z.looseObject({ type: z.string("must be a string") });

export const toolChoiceSchema = z
  .union([z.enum(["auto", "none", "required"]), fields], 'must be "auto", "none", "required" or an object with a type')
  .nullish();

type Fields = z.infer<typeof fields>;
type Choice = Pick<DoorRequest, "toolChoice" | "callableTools">;

/** Chat Completions nests what Responses has flat. Throws for a choice that cannot be met: the answer would not be what was asked for. */
export function toToolChoice(choice: z.infer<typeof toolChoiceSchema>, tools: readonly ClientTool[]): Choice {
  if (choice === undefined || choice === null) return { toolChoice: "auto", callableTools: undefined };
  if (typeof choice === "string") return { toolChoice: choice, callableTools: undefined };
  if (choice.type === "allowed_tools") return toAllowed(choice, tools);
  return { toolChoice: { name: nameIn(choice, tools) }, callableTools: undefined };
}

function toAllowed(choice: Fields, tools: readonly ClientTool[]): Choice {
  const { mode, tools: allowed } = { ...choice, ...toFields(choice["allowed_tools"]) } as Readonly<
    Record<string, unknown>
  >;
  if (mode !== "auto" && mode !== "required") throw invalidRequest('tool_choice.mode: must be "auto" or "required"');
  if (!Array.isArray(allowed)) throw invalidRequest("tool_choice.tools: must be a list");
  return { toolChoice: mode, callableTools: allowed.map((tool) => nameIn(toFields(tool), tools)) };
}

/** A tool is chosen by name or, if OpenAI defined it, by type. */
function nameIn(choice: Readonly<Record<string, unknown>>, tools: readonly ClientTool[]): string {
  const nested = toFields(choice[String(choice["type"])]);
  const name = nested["name"] ?? choice["name"] ?? tools.find(({ form }) => form === choice["type"])?.name;
  if (typeof name !== "string")
    throw invalidRequest(
      `tool_choice: must name one of the tools that can be offered, not ${JSON.stringify(choice["type"])}`,
    );
  if (!tools.some((tool) => tool.name === name))
    throw invalidRequest(
      `tool_choice: there is no tool ${JSON.stringify(name.slice(0, 256))} among those that can be offered`,
    );
  return name;
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
