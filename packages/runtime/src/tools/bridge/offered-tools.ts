import type { ClientTool } from "./bridge-messages.ts";

/** Older versions of the agent take no more than this many tools of all servers together. */
export const MAX_DIRECT_TOOLS = 40;
export const DISPATCHER = "call_tool";

export interface ToolOffer {
  /** What the agent sees as tools. */
  readonly tools: readonly ClientTool[];
  /** What it is told about them; empty when there is nothing to tell. */
  readonly instructions: string;
  /** Which of the client's tools a call means, or undefined when it means none. */
  resolve(name: string, input: Readonly<Record<string, unknown>>): ResolvedCall | undefined;
}

export interface ResolvedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Offer all of the client's tools: directly while there is room, the rest through one tool that passes calls on. */
export function offerTools(tools: readonly ClientTool[]): ToolOffer {
  const names = new Set(tools.map(({ name }) => name));
  const resolveDirect = (name: string, input: Readonly<Record<string, unknown>>): ResolvedCall | undefined =>
    names.has(name) ? { name, input } : undefined;
  if (tools.length <= MAX_DIRECT_TOOLS) return { tools, instructions: "", resolve: resolveDirect };
  const direct = tools.slice(0, MAX_DIRECT_TOOLS - 1);
  const rest = tools.slice(MAX_DIRECT_TOOLS - 1);
  return {
    tools: [...direct, dispatcherTool(rest)],
    instructions: describeRest(rest),
    resolve: (name, input) =>
      name === DISPATCHER ? resolveDispatched(input, resolveDirect) : resolveDirect(name, input),
  };
}

function resolveDispatched(
  input: Readonly<Record<string, unknown>>,
  resolveDirect: ToolOffer["resolve"],
): ResolvedCall | undefined {
  const name = input["name"];
  const passed = input["arguments"];
  const isObject = typeof passed === "object" && passed !== null && !Array.isArray(passed);
  return typeof name === "string"
    ? resolveDirect(name, isObject ? (passed as Record<string, unknown>) : {})
    : undefined;
}

function dispatcherTool(rest: readonly ClientTool[]): ClientTool {
  return {
    name: DISPATCHER,
    description: "Calls one of the further tools that the instructions of this server describe.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", enum: rest.map(({ name }) => name), description: "The tool to call." },
        arguments: { type: "object", description: "Its arguments, by its own schema." },
      },
      required: ["name", "arguments"],
    },
  };
}

function describeRest(rest: readonly ClientTool[]): string {
  const lines = rest.map(
    ({ name, description = "", inputSchema }) =>
      `- ${name}: ${description}\n  arguments: ${JSON.stringify(inputSchema)}`,
  );
  return `Besides the tools listed, ${DISPATCHER} reaches these:\n${lines.join("\n")}`;
}
