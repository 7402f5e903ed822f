import { isJsonObject, type JsonObject, parseJson } from "@caret/protocol";

/** Models nest arguments arbitrarily deep; below this they stay unchanged. */
const MAX_DEPTH = 8;
const WHOLE_OR_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

interface Coercion {
  /** Path of the value in the arguments: `edits.0.line`. */
  readonly where: string;
  readonly note: (repair: string) => void;
  readonly depth?: number;
}

/**
 * Converts strings to the numbers, booleans, lists and objects that the schema demands. Follows only plain `type`, `properties` and
 * `items`: where a schema allows alternatives, nothing is certain.
 */
export function coerceValue(value: unknown, schema: unknown, coercion: Coercion): unknown {
  const { depth = 0 } = coercion;
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return value;
  const read = typeof value === "string" ? coerceText(value, typesOf(schema), coercion) : value;
  if (Array.isArray(read))
    return read.map((item, index) => coerceValue(item, schema["items"], inside(coercion, String(index))));
  if (!isJsonObject(read) || !isJsonObject(schema["properties"])) return read;
  return coerceProperties(read, schema["properties"], coercion);
}

function coerceProperties(value: JsonObject, properties: JsonObject, coercion: Coercion): JsonObject {
  const entries = Object.entries(value).map(([key, field]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return [key, coerceValue(field, schema, inside(coercion, key))] as const;
  });
  return Object.fromEntries(entries);
}

function inside({ where, note, depth = 0 }: Coercion, key: string): Coercion {
  return { where: where === "" ? key : `${where}.${key}`, note, depth: depth + 1 };
}

function coerceText(text: string, types: ReadonlySet<string>, { where, note }: Coercion): unknown {
  if (types.has("string")) return text;
  const read = readAs(text, types);
  if (read === undefined) return text;
  note(`read \`${where}\` from a string as ${Array.isArray(read) ? "an array" : `a value of type ${typeof read}`}`);
  return read;
}

function readAs(text: string, types: ReadonlySet<string>): unknown {
  const isNumber = types.has("number") || types.has("integer");
  // Digits that a number cannot hold exactly, or would print differently, stay a string.
  if (isNumber && WHOLE_OR_DECIMAL.test(text) && String(Number(text)) === text) return Number(text);
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  return types.has("array") || types.has("object") ? readStructure(text, types) : undefined;
}

function readStructure(text: string, types: ReadonlySet<string>): unknown {
  const parsed = parseJson(text);
  if (Array.isArray(parsed)) return types.has("array") ? parsed : undefined;
  return isJsonObject(parsed) && types.has("object") ? parsed : undefined;
}

function typesOf(schema: JsonObject): ReadonlySet<string> {
  const type = schema["type"];
  return new Set(Array.isArray(type) ? type.filter((name) => typeof name === "string") : [String(type)]);
}

/** Parses a string as a JSON object; undefined if it is not a string or holds none. */
export function parseJsonObject(text: unknown): JsonObject | undefined {
  const value = typeof text === "string" ? parseJson(text) : undefined;
  return isJsonObject(value) ? value : undefined;
}
