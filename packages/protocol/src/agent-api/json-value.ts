import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";

/** Converts JSON to `google.protobuf.Value`, the type of MCP schemas and arguments. */
export function toValue(json: JsonValue): Value {
  return fromJson(ValueSchema, json);
}

/** Converts a value to JSON. A value without a kind, which only a broken sender writes, becomes null. */
export function fromValue(value: Value): JsonValue {
  return value.kind.case === undefined ? null : toJson(ValueSchema, value);
}

/** Converts arguments to the map in `McpArgs.args`. */
export function toValueMap(args: Readonly<Record<string, JsonValue>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(args).map(([name, json]) => [name, toValue(json)]));
}

/** Converts a map of arguments to JSON. */
export function fromValueMap(args: Readonly<Record<string, Value>>): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, fromValue(value)]));
}
