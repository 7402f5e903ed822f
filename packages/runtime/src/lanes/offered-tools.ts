import { readToolSchema } from "@caret/protocol";
import type { AgentTool, ToolCall } from "../calls/tool-call.ts";

/** Older versions of the agent take no more than this many tools of all servers together. */
export const MAX_DIRECT_TOOLS = 40;
export const DISPATCHER = "call_tool";

export interface ToolOffer {
  /** What the agent sees as tools. */
  readonly tools: readonly AgentTool[];
  /** Instructions about them; empty when there are none. */
  readonly instructions: string;
  /** Which of the client's tools a call means, or undefined when it means none. */
  resolve(name: string, input: Readonly<Record<string, unknown>>): ToolCall | undefined;
}

/**
 * Offer all of the client's tools: directly while there is room, the rest through one tool that passes calls on. Where
 * tools may be added while the turn runs that one is always there: not every agent looks at its list of tools again.
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

/** One bad schema would make the whole list invalid: a tool with one takes anything. */
function withUsableSchema(tool: AgentTool): AgentTool {
  const read = readToolSchema(tool.inputSchema);
  return { ...tool, inputSchema: "schema" in read ? read.schema : { type: "object" } };
}

const MAX_DESCRIPTION = 40_000;

/** What an agent is sent about tools that its client has added while it worked; `tools` are all it offers now. */
export function describeAdded(added: readonly AgentTool[], tools: readonly AgentTool[]): string {
  const whole = describeTools(added);
  const described = whole.length <= MAX_DESCRIPTION ? whole : added.map(({ name }) => `- ${name}`).join("\n");
  return `The client offers these tools, too, from now on. Call them as your others, or with ${dispatcherName(tools)} where you do not see them among those:\n${described}`;
}

function dispatcherName(tools: readonly AgentTool[]): string {
  return tools.some(({ name }) => name === DISPATCHER) ? `caret_${DISPATCHER}` : DISPATCHER;
}

/** What an agent has to know to call tools that it does not see in its list. */
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
  // A tool that is added later must be callable, too.
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
