import type { ClientTool } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest } from "../../http/read-body.ts";
import type { DoorRequest } from "../door-request.ts";

const fields = z.looseObject({ type: z.string("must be a string") });

export const toolChoiceSchema = z
  .union([z.enum(["auto", "none", "required"]), fields], 'must be "auto", "none", "required" or an object with a type')
  .nullish();

type Fields = z.infer<typeof fields>;
type Choice = Pick<DoorRequest, "toolChoice" | "callableTools">;

/** Chat Completions nests what Responses has flat. A choice that cannot be met is refused: the answer would be another one. */
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

/** A tool is chosen by its name, or, where OpenAI has defined it, by its type. */
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
