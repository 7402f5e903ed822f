import type { JsonValue, MessageInitShape } from "@bufbuild/protobuf";
import { fromValueMap, toValue } from "@caret/protocol/agent-api";
import type { McpArgs, McpToolDefinitionSchema } from "@caret/protocol/agent-api/mcp";
import type { ToolCall } from "../../calls/tool-call.ts";
import type { OfferedTools } from "../lane.ts";
import { offerTools, type ToolOffer } from "../offered-tools.ts";

/** Name of the MCP server under which upstream sees the turn's tools. */
export const OWN_SERVER = "caret";

/** The tools that the client or the gateway runs in this turn, as presented to upstream. */
export interface TurnOffer {
  readonly owner: OfferedTools["owner"];
  definitions(): readonly MessageInitShape<typeof McpToolDefinitionSchema>[];
  instructions(): string;
  /** The client's system prompt, and how to work with the tools. */
  readonly rule: string;
  /** The tool that a call refers to; undefined if it is none of these. */
  resolve(args: Pick<McpArgs, "name" | "toolName" | "args">): ToolCall | undefined;
  resolveJson(name: string, input: ToolCall["input"]): ToolCall | undefined;
  names(): readonly string[];
}

export function createTurnOffer(offered: OfferedTools): TurnOffer {
  const { owner, tools, system, realWorkspace, onToolsChange } = offered;
  const mayGrow = onToolsChange !== undefined;
  let offer: ToolOffer = offerTools(tools, { mayGrow });
  // Upstream learnt its tools at the start of the run; later ones are reached through the dispatcher.
  onToolsChange?.((next) => {
    offer = offerTools(next, { mayGrow });
  });
  const resolveJson: TurnOffer["resolveJson"] = (name, input) => offer.resolve(ownName(name), input);
  return {
    owner,
    definitions: () =>
      offer.tools.map(({ name, description = "", inputSchema }) => ({
        name: `${OWN_SERVER}-${name}`,
        providerIdentifier: OWN_SERVER,
        toolName: name,
        description,
        inputSchema: toValue(inputSchema as JsonValue),
        inputSchemaJson: JSON.stringify(inputSchema),
      })),
    instructions: () => offer.instructions,
    rule: [placeRule(owner, realWorkspace, tools.length > 0), system].filter((text) => text !== "").join("\n\n"),
    resolve: ({ name, toolName, args }) => resolveJson(toolName === "" ? name : toolName, fromValueMap(args)),
    resolveJson,
    names: () => offer.tools.map(({ name }) => name),
  };
}

/** Upstream may prefix a tool's name with its server. */
function ownName(name: string): string {
  return name.startsWith(`${OWN_SERVER}-`) ? name.slice(OWN_SERVER.length + 1) : name;
}

function placeRule(owner: OfferedTools["owner"], realWorkspace: string | undefined, hasTools: boolean): string {
  if (owner === "gateway") return "";
  if (!hasTools) return "You have no tools here: answer in words.";
  const place =
    realWorkspace === undefined ? "" : ` The user's workspace is ${realWorkspace}; only those tools reach it.`;
  return `Use only the tools of the MCP server \`${OWN_SERVER}\`: they are run for you where the user works.${place} Your own shell, file and web tools are switched off.`;
}
