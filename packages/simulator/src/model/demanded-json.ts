import { isRecord } from "../json/json.ts";
import type { JsonSchema } from "./model.ts";
import { type SchemaProperty, schemaProperties } from "./schema-properties.ts";

/** How a rule demands an answer of a shape; the schema stands on a line of its own. */
const demand = /\bJSON Schema:[ \t]*\n?[ \t]*(\{.*\})[ \t]*$/im;
/** A schema may lead back to itself. */
const MAX_DEPTH = 6;

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  time: "03:04:05Z",
  email: "ada@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** The answer in the shape that the rules demand; as it is where they demand none, or it has some shape already. */
export function inDemandedShape(text: string, rules: string): string {
  const schema = parse(demand.exec(rules)?.[1] ?? "");
  if (!isRecord(schema) || isRecord(parse(text)) || Array.isArray(parse(text))) return text;
  const [whole] = schemaProperties({ properties: { whole: schema } }, schema);
  return whole === undefined ? text : JSON.stringify(valueFor(whole, { words: text, root: schema, depth: 0 }));
}

interface Filling {
  readonly words: string;
  readonly root: JsonSchema;
  readonly depth: number;
}

function valueFor(property: SchemaProperty, filling: Filling): unknown {
  const { schema, type, items } = property;
  const [choice] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  const given = schema["const"] ?? choice;
  if (given !== undefined) return given;
  const inner = { ...filling, depth: filling.depth + 1 };
  if (inner.depth > MAX_DEPTH) return null;
  if (isRecord(schema["properties"]) || type === "object")
    return Object.fromEntries(
      schemaProperties(schema, filling.root)
        .filter(({ isRequired }) => isRequired || inner.depth < 3)
        .map((one) => [one.name, valueFor(one, inner)]),
    );
  if (type === "array") return listOf(items, schema, inner);
  if (type === "boolean") return true;
  if (type === "number" || type === "integer") return numberIn(filling.words, property);
  return type === "null" ? null : stringIn(filling.words, schema);
}

function listOf(items: JsonSchema | undefined, schema: JsonSchema, filling: Filling): readonly unknown[] {
  const [item] = schemaProperties({ properties: { item: items ?? { type: "string" } } }, filling.root);
  const count = Math.max(1, Number(schema["minItems"] ?? 1));
  return item === undefined ? [] : Array.from({ length: count }, () => valueFor(item, filling));
}

/** The last number of an answer is its result. */
function numberIn(words: string, { schema, type }: SchemaProperty): number {
  const found = Number(words.match(/-?\d+(?:\.\d+)?/g)?.at(-1) ?? 1);
  const value = type === "integer" ? Math.round(found) : found;
  const least = Number(schema["minimum"] ?? value);
  return Math.min(Number(schema["maximum"] ?? value), Math.max(least, value));
}

function stringIn(words: string, schema: JsonSchema): string {
  const format = formats[String(schema["format"])];
  if (format !== undefined) return format;
  const text = words.slice(0, Number(schema["maxLength"] ?? words.length));
  return text.padEnd(Number(schema["minLength"] ?? 0), ".");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON
  }
}
