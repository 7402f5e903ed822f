import { readToolSchema } from "@caret/protocol";
import type { AgentTool, ToolCall } from "../calls/tool-call.ts";

/** Older agent versions accept at most this many tools from all servers together. */
export const MAX_DIRECT_TOOLS = 40;
export const DISPATCHER = "call_tool";

export interface ToolOffer {
  /** The tools visible to the agent. */
  readonly tools: readonly AgentTool[];
  /** Instructions about them; empty if there are none. */
  readonly instructions: string;
  /** The client's tool that a call refers to; undefined if none. */
  resolve(name: string, input: Readonly<Record<string, unknown>>): ToolCall | undefined;
}

/**
 * Offers all of the client's tools: directly while there is room, the rest through one dispatcher tool. If tools may be added while the
 * turn runs, the dispatcher is always present: not every agent re-reads its list of tools.
 */
export function offerTools(given: readonly AgentTool[], { mayGrow = false } = {}): ToolOffer {
  const tools = given.map(withUsableSchema);
  const names = new Set(tools.map(({ name }) => name));
  const resolveDirect = (name: string, input: Readonly<Record<string, unknown>>): ToolCall | undefined =>
    names.has(name) ? { name, input } : undefined;
  if (!mayGrow && tools.length <= MAX_DIRECT_TOOLS) return { tools, instructions: "", resolve: resolveDirect };
  const dispatcher = dispatcherName(tools);
  const direct = tools.slice(0, MAX_DIRECT_TOOLS - 1);
  const rest = tools.slice(MAX_DIRECT_TOOLS - 1);
  return {
    tools: [...direct, dispatcherTool(dispatcher, rest, mayGrow)],
    instructions:
      rest.length === 0 ? "" : `Besides the tools listed, ${dispatcher} calls these:\n${describeTools(rest)}`,
    resolve: (name, input) =>
      name === dispatcher ? resolveDispatched(input, resolveDirect) : resolveDirect(name, input),
  };
}

/** One bad schema would invalidate the whole list: a tool with one accepts anything. */
function withUsableSchema(tool: AgentTool): AgentTool {
  const read = readToolSchema(tool.inputSchema);
  return { ...tool, inputSchema: "schema" in read ? read.schema : { type: "object" } };
}

const MAX_DESCRIPTION = 40_000;

/** Describes tools that the client added while the agent works; `tools` are all that it now offers. */
export function describeAdded(added: readonly AgentTool[], tools: readonly AgentTool[]): string {
  const whole = describeTools(added);
  const described = whole.length <= MAX_DESCRIPTION ? whole : added.map(({ name }) => `- ${name}`).join("\n");
  return `The client offers these tools, too, from now on. Call them as your others, or with ${dispatcherName(tools)} where you do not see them among those:\n${described}`;
}

function dispatcherName(tools: readonly AgentTool[]): string {
  return tools.some(({ name }) => name === DISPATCHER) ? `caret_${DISPATCHER}` : DISPATCHER;
}

/** What an agent needs to call tools that are not in its list. */
function describeTools(tools: readonly AgentTool[]): string {
  return tools
    .map(
      ({ name, description = "", inputSchema }) =>
        `- ${name}: ${description}\n  arguments: ${JSON.stringify(inputSchema)}`,
    )
    .join("\n");
}

function resolveDispatched(
  input: Readonly<Record<string, unknown>>,
  resolveDirect: ToolOffer["resolve"],
): ToolCall | undefined {
  const name = input["name"];
  const passed = input["arguments"];
  const isObject = typeof passed === "object" && passed !== null && !Array.isArray(passed);
  return typeof name === "string"
    ? resolveDirect(name, isObject ? (passed as Record<string, unknown>) : {})
    : undefined;
}

function dispatcherTool(name: string, rest: readonly AgentTool[], mayGrow: boolean): AgentTool {
  const further = "Calls one of the further tools that the instructions of this server describe";
  const added = "Calls a tool that was added after you began: a tool's result then says its name and its arguments";
  const purposes = [...(rest.length === 0 ? [] : [further]), ...(mayGrow ? [added] : [])];
  // A tool added later must be callable as well.
  const names = mayGrow ? {} : { enum: rest.map((tool) => tool.name) };
  return {
    name,
    description: `${purposes.join(". ")}.`,
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", ...names, description: "The tool to call." },
        arguments: { type: "object", description: "Its arguments, by its own schema." },
      },
      required: ["name", "arguments"],
    },
  };
}
