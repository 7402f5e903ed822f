import { CaretError } from "@caret/protocol";
import type { DoorRequest, OfferedTool } from "../door/door-request.ts";
import type { MessagesBody } from "./messages-body.ts";

type ToolBody = NonNullable<MessagesBody["tools"]>[number];
type ChoiceBody = NonNullable<MessagesBody["tool_choice"]>;

/** The tools the client runs itself. Those that Anthropic's servers would run come without a schema and are left out. */
export function toOfferedTools(tools: readonly ToolBody[]): readonly OfferedTool[] {
  const offered = tools.flatMap(toOffered);
  const repeated = offered.find(({ name }, index) => offered.findIndex((other) => other.name === name) !== index);
  if (repeated === undefined) return offered;
  throw new CaretError("invalid-request", `tools: the name ${JSON.stringify(repeated.name)} is used twice.`);
}

function toOffered({ name, description, input_schema }: ToolBody, index: number): readonly OfferedTool[] {
  if (input_schema === undefined || input_schema === null) return [];
  if (name === undefined) throw new CaretError("invalid-request", `tools.${index}.name: is missing.`);
  const described = description === undefined || description === null ? {} : { description };
  return [{ name, ...described, inputSchema: input_schema }];
}

/** A demand for one of the tools we leave out cannot be met; the agent then decides, with searching tools of its own. */
export function toToolChoice(choice: ChoiceBody | undefined, tools: readonly ToolBody[]): DoorRequest["toolChoice"] {
  if (choice === undefined || choice.type === "auto") return "auto";
  if (choice.type === "none") return "none";
  if (choice.type === "any") return "required";
  const tool = tools.find(({ name }) => name !== undefined && name === choice.name);
  if (tool === undefined) throw new CaretError("invalid-request", "tool_choice.name: is not among the tools.");
  return tool.input_schema && tool.name !== undefined ? { name: tool.name } : "auto";
}
