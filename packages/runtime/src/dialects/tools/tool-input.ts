import { isJsonObject, type JsonObject } from "../../framing/frame.ts";
import { textField, wordField } from "../fields.ts";

export interface NamedInput {
  readonly name: string;
  readonly server?: string;
  readonly input: unknown;
}

/** Bookkeeping of the shell tool that says nothing about what was asked for. */
const shellFields = ["command", "workingDirectory", "timeout", "isBackground", "description", "requestedSandboxPolicy"];

/** What was asked of a native tool, in the tool's own terms. The raw line keeps everything else. */
export function toNamedInput(name: string, args: unknown): NamedInput {
  if (!isJsonObject(args)) return { name, input: args ?? {} };
  if (name === "mcp") return toMcpInput(args);
  if (name === "shell") return { name, input: pick(args, shellFields) };
  const { toolCallId, ...input } = args;
  return { name, input };
}

/** Server and tool are told apart by their own fields: a name such as `local-echo` cannot be split on its dash. */
function toMcpInput(args: JsonObject): NamedInput {
  const name = wordField(args, "toolName", "name") ?? "mcp";
  const server = wordField(args, "providerIdentifier", "serverIdentifier");
  return { name, ...(server === undefined ? {} : { server }), input: args["args"] ?? {} };
}

function pick(args: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (isTold(args, name)) picked[name] = args[name];
  return picked;
}

function isTold(args: JsonObject, name: string): boolean {
  return args[name] !== undefined && args[name] !== false && textField(args, name) !== "";
}
