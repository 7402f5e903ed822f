import { isJsonObject, type JsonObject, parseJson, type ToolKind } from "@caret/protocol";
import { objectField, textField, wordField } from "../read-fields.ts";

/** Fields of the shell tool that describe the request; the rest is bookkeeping. */
const shellFields = ["command", "workingDirectory", "timeout", "isBackground", "description", "requestedSandboxPolicy"];

const kinds: Readonly<Record<Exclude<ToolKind, "other">, readonly string[]>> = {
  shell: ["shell", "writeShellStdin", "piBash"],
  read: ["read", "readFile", "piRead", "readLints", "blameByFilePath"],
  edit: ["edit", "editFile", "delete", "deleteFile", "piEdit", "applyAgentDiff", "applyPatch"],
  write: ["write", "writeFile", "piWrite"],
  search: ["grep", "glob", "ls", "semSearch", "piGrep", "piFind", "piLs", "searchConversations"],
  fetch: ["webFetch", "webSearch", "fetch"],
  todo: ["updateTodos", "readTodos", "todo", "todoWrite"],
  task: ["task", "await"],
  mcp: ["mcp", "getMcpTools", "listMcpResources", "readMcpResource", "mcpAuth"],
  question: ["askQuestion"],
  plan: ["createPlan"],
};

const kindByName: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind] as const)),
);

const SUFFIX = "ToolCall";

/** A tool call without its wrapper, of whichever known kind. */
export interface ToolEntry {
  /** `shell` for `shellToolCall`; undefined if nothing names the tool. */
  readonly name: string | undefined;
  /** Only the agent's own tools have known shapes; a function may be called `read` and mean something else. */
  readonly native: boolean;
  readonly args: unknown;
  readonly result: unknown;
  readonly description: string | undefined;
  /** Other keys that could be the tool. */
  readonly rivals: readonly string[];
}

const noEntry: ToolEntry = {
  name: undefined,
  native: false,
  args: undefined,
  result: undefined,
  description: undefined,
  rivals: [],
};

/**
 * Finds the tool in a `tool_call` object. Siblings (`toolCallId`, `startedAtMs` …) can precede or follow the relevant key, so it is neither
 * the first key nor the first in order, but the one that ends in `ToolCall`.
 */
export function readToolEntry(call: JsonObject | undefined): ToolEntry {
  if (call === undefined) return noEntry;
  const keys = Object.keys(call).filter((key) => isToolKey(key) && isJsonObject(call[key]));
  const [key, ...rivals] = keys.length > 1 ? keys.toSorted() : keys;
  const native = key === undefined ? readCase(call) : { key, value: call[key] as JsonObject };
  if (native !== undefined) return { ...toNativeEntry(native.key, native.value, call), rivals };
  return readFunction(call);
}

function isToolKey(key: string): boolean {
  return key.endsWith(SUFFIX) && key.length > SUFFIX.length;
}

/** protobuf-es writes a oneof as `{ tool: { case, value } }`. */
function readCase(call: JsonObject): { key: string; value: JsonObject } | undefined {
  const tool = objectField(call, "tool");
  const key = textField(tool, "case");
  const value = objectField(tool, "value");
  return key === undefined || value === undefined ? undefined : { key, value };
}

function toNativeEntry(key: string, value: JsonObject, call: JsonObject): ToolEntry {
  return {
    ...noEntry,
    name: isToolKey(key) ? key.slice(0, -SUFFIX.length) : key,
    native: true,
    args: value["args"] ?? withoutWrapping(value),
    result: value["result"] ?? call["result"],
    description: wordField(value, "description") ?? wordField(call, "description"),
  };
}

/** Some writers put the arguments directly under the tool's key. */
function withoutWrapping({ args, result, name, description, ...fields }: JsonObject): JsonObject | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** `{ function: { name, arguments } }`, `{ name, args }`, `{ id, name, input }`. */
function readFunction(call: JsonObject): ToolEntry {
  const fn = objectField(call, "function") ?? call;
  const name = wordField(fn, "name");
  if (name === undefined) return { ...noEntry, result: call["result"] };
  return {
    ...noEntry,
    name,
    args: parseArguments(fn["arguments"] ?? fn["args"] ?? fn["input"]),
    result: fn["result"] ?? call["result"] ?? fn["output"],
    description: wordField(fn, "description"),
  };
}

/** Arguments are an object or JSON in a string; broken JSON is kept verbatim. */
function parseArguments(value: unknown): unknown {
  return typeof value === "string" ? parseJson(value, value) : value;
}

/** Kind of a native tool, so a card can be chosen without knowing each of some seventy names. */
export function toolKind(name: string): ToolKind {
  return kindByName.get(name) ?? "other";
}

interface NamedInput {
  readonly name: string;
  readonly server?: string;
  readonly input: unknown;
}

/** The request to a native tool, in the tool's own terms. The raw line keeps everything else. */
export function toNamedInput(name: string, args: unknown): NamedInput {
  if (!isJsonObject(args)) return { name, input: args ?? {} };
  if (name === "mcp") return toMcpInput(args);
  if (name === "shell") return { name, input: pick(args, shellFields) };
  const { toolCallId, ...input } = args;
  return { name, input };
}

/** Server and tool have separate fields: a name such as `local-echo` cannot be split at its dash. */
function toMcpInput(args: JsonObject): NamedInput {
  const name = wordField(args, "toolName", "name") ?? "mcp";
  const server = wordField(args, "providerIdentifier", "serverIdentifier");
  return { name, ...(server === undefined ? {} : { server }), input: args["args"] ?? {} };
}

function pick(args: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (isGiven(args, name)) picked[name] = args[name];
  return picked;
}

function isGiven(args: JsonObject, name: string): boolean {
  return args[name] !== undefined && args[name] !== false && textField(args, name) !== "";
}
