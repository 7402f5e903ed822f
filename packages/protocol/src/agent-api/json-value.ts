import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";

/** JSON as the `google.protobuf.Value` that MCP schemas and arguments are made of. */
export function toValue(json: JsonValue): Value {
  return fromJson(ValueSchema, json);
}

/** The JSON of a value. One that has no kind set, which only a broken sender writes, is null. */
export function fromValue(value: Value): JsonValue {
  return value.kind.case === undefined ? null : toJson(ValueSchema, value);
}

/** A map of arguments, as `McpArgs.args` carries it. */
export function toValueMap(args: Readonly<Record<string, JsonValue>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(args).map(([name, json]) => [name, toValue(json)]));
}

/** The JSON of a map of arguments. */
export function fromValueMap(args: Readonly<Record<string, Value>>): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, fromValue(value)]));
}
