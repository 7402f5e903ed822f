import type { Intent } from "./intent.ts";
import type { ModelCall, ModelRequest, OfferedTool } from "./model.ts";
import { nativeCall } from "./native-call.ts";
import { offeredCall } from "./offered-call.ts";
import { guessArguments } from "./peculiar-call.ts";
import { schemaProperties } from "./schema-properties.ts";

/** Whose tool is tried first; the other side is the second choice. */
export type Side = "native" | "offered";

export interface ResolveContext {
  readonly request: ModelRequest;
  readonly side: Side;
  /** Only this side, as when the other one has just refused. */
  readonly only?: boolean;
  readonly workingDirectory: string | undefined;
}

/** The call that does what is wanted, or nothing when no tool can. */
export function resolveCall(intent: Intent, content: string, context: ResolveContext): ModelCall | undefined {
  if (intent.kind === "call") return namedCall(intent, context);
  const { request, side, only, workingDirectory } = context;
  const bySide: Record<Side, () => ModelCall | undefined> = {
    native: () => {
      const call = nativeCall(intent, content);
      return request.nativeTools.includes(call.name) ? call : undefined;
    },
    offered: () => offeredCall(intent, content, { tools: request.offeredTools, workingDirectory }),
  };
  const other: Side = side === "native" ? "offered" : "native";
  return bySide[side]() ?? (only === true ? undefined : bySide[other]());
}

/** A tool the prompt calls by its name: `echo`, `local-echo`, `mcp__local__echo` are all the same one. */
function namedCall(
  intent: Extract<Intent, { kind: "call" }>,
  { request, only }: ResolveContext,
): ModelCall | undefined {
  if (only === true) return undefined;
  const tool = request.offeredTools.find((offered) => namesOf(offered).includes(intent.tool.toLowerCase()));
  const given = intent.args[""];
  if (tool !== undefined) {
    const args = given === undefined ? intent.args : guessArguments(tool, `"${String(given)}"`);
    return { server: tool.server, name: tool.name, args };
  }
  const wrapped = given === undefined ? wrappedCall(intent, request.offeredTools) : undefined;
  if (wrapped !== undefined) return wrapped;
  const isNative = request.nativeTools.some((name) => name === intent.tool);
  return isNative ? { name: intent.tool, args: given === undefined ? intent.args : {} } : undefined;
}

/** Some clients hide their tools behind one that takes a tool's name and its arguments. */
function wrappedCall(
  { tool, args }: Extract<Intent, { kind: "call" }>,
  tools: readonly OfferedTool[],
): ModelCall | undefined {
  for (const { server, name, description = "", inputSchema } of tools) {
    const properties = schemaProperties(inputSchema);
    const named = properties.find((property) => /^(?:tool|name|tool_?name)$/i.test(property.name));
    const given = properties.find((property) => /^(?:args|arguments|input|params|parameters)$/i.test(property.name));
    if (named === undefined || given === undefined || !/\btools?\b/i.test(`${name.replace(/_/g, " ")} ${description}`))
      continue;
    const value = given.type === "string" ? JSON.stringify(args) : args;
    return { server, name, args: { [named.name]: tool, [given.name]: value } };
  }
  return undefined;
}

function namesOf({ server, name }: OfferedTool): readonly string[] {
  return [name, `${server}-${name}`, `${server}.${name}`, `${server}:${name}`, `mcp__${server}__${name}`].map(
    (spelling) => spelling.toLowerCase(),
  );
}
