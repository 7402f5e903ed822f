import { isJsonObject, type JsonObject } from "../../framing/frame.ts";
import { objectField, textField, wordField } from "../fields.ts";

const SUFFIX = "ToolCall";

/** A tool call with its wrapping taken off, whichever of the known wrappings it had. */
export interface ToolEntry {
  /** `shell` for `shellToolCall`; undefined when nothing names the tool. */
  readonly name: string | undefined;
  /** Only the agent's own tools have shapes we know; a function may be called `read` and mean something else. */
  readonly native: boolean;
  readonly args: unknown;
  readonly result: unknown;
  readonly description: string | undefined;
  /** Other keys that claimed to be the tool. */
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
 * Find the tool in a `tool_call` object. Siblings (`toolCallId`, `startedAtMs` …) may stand before or after the key
 * that counts, so neither the first key nor the sorted first is right: the one that ends in `ToolCall` is.
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

/** Some writers put the arguments straight under the tool's key. */
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

/** Arguments come as an object or as JSON in a string, which may be broken: then they are kept as they came. */
function parseArguments(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value; // invalid JSON: the raw string is all we know, and it is kept
  }
}
