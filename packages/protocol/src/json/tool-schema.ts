/** A tool's input schema in a form that every program accepts, or why that is impossible. */
export type ReadToolSchema = { readonly schema: Fields } | { readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

/** Deeper schemas are useless to a model and overflow the stack of programs that walk them. */
const MAX_DEPTH = 100;

const NO_INPUT: Fields = { type: "object", properties: {} };

/**
 * MCP accepts a list of tools only if each schema describes an object, with `properties` that are schemas and `required` a list of names:
 * one bad tool takes the others away. Serialisers write harmless variants (`null` for an absent field, `[]` for an empty map, `OBJECT`),
 * which are repaired. Anything that cannot describe an object is refused.
 */
export function readToolSchema(given: unknown): ReadToolSchema {
  if (given === undefined || given === null || given === true) return { schema: NO_INPUT };
  if (Array.isArray(given) && given.length === 0) return { schema: NO_INPUT };
  if (!isFields(given)) return { problem: "must be a JSON Schema object" };
  if (isDeeperThan(given, MAX_DEPTH)) return { problem: `is nested deeper than ${MAX_DEPTH} levels` };
  const { type, properties, required } = given;
  if (!mayBeObject(type)) return { problem: `must be of type "object", not ${JSON.stringify(type)}` };
  const known = propertiesOf(properties);
  if (known === undefined) return { problem: "properties: must be an object" };
  const schema: Fields = { type: "object", ...given, ...known, ...requiredOf(required) };
  const absent = [...(known.properties === undefined ? ["properties"] : []), ...(required == null ? ["required"] : [])];
  const mended = Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      absent.includes(key) ? [] : [[key, key === "type" ? "object" : value]],
    ),
  );
  return { schema: isShouted(type) ? withSmallTypes(mended) : mended };
}

/** Absent, `object` in any case, or a list of types that includes it. */
function mayBeObject(type: unknown): boolean {
  if (typeof type === "string") return type.toLowerCase() === "object";
  return Array.isArray(type) ? type.some((one) => typeof one === "string" && mayBeObject(one)) : !isFields(type);
}

/** Undefined if they are not properties at all. */
function propertiesOf(properties: unknown): { readonly properties?: Fields } | undefined {
  if (properties === undefined || properties === null) return {};
  if (Array.isArray(properties) && properties.length === 0) return { properties: {} };
  if (!isFields(properties)) return undefined;
  const entries = Object.entries(properties);
  if (entries.every(([, schema]) => isFields(schema))) return { properties };
  // `true` allows anything, `false` nothing; any other non-object says nothing.
  const read = entries.map(([name, schema]) => [name, schema === false ? { not: {} } : isFields(schema) ? schema : {}]);
  return { properties: Object.fromEntries(read) };
}

function requiredOf(required: unknown): { readonly required?: readonly string[] } {
  if (required === undefined || required === null) return {};
  const names = Array.isArray(required) ? required : [required];
  const read = names.filter((name) => typeof name === "string");
  return { required: read.length === names.length && Array.isArray(required) ? (required as string[]) : read };
}

/** Gemini's spelling (`OBJECT`, `STRING`), which its properties use as well. */
function isShouted(type: unknown): boolean {
  return typeof type === "string" && type !== type.toLowerCase();
}

function withSmallTypes(schema: Fields): Fields {
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key === "type" && typeof value === "string") return [key, value.toLowerCase()];
    if (key === "items" && isFields(value)) return [key, withSmallTypes(value)];
    if (key === "properties" && isFields(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, small(one)]))];
    if (["anyOf", "oneOf", "allOf"].includes(key) && Array.isArray(value)) return [key, value.map(small)];
    return [key, value];
  });
  return Object.fromEntries(entries) as Fields;
}

function small(schema: unknown): unknown {
  return isFields(schema) ? withSmallTypes(schema) : schema;
}

/** Iterative: recursion would overflow on hostile nesting. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
