import { isRecord } from "../json/json.ts";
import type { JsonSchema } from "./model.ts";

export interface SchemaProperty {
  readonly name: string;
  /** `null` beside another type makes the property nullable and is not its type. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly description: string;
  readonly isRequired: boolean;
  /** With references and unions resolved. */
  readonly schema: JsonSchema;
  /** What a list holds. */
  readonly items: JsonSchema | undefined;
}

/** References may lead back to themselves. */
const MAX_HOPS = 8;

/** The properties of an object's schema, with `$ref`, `allOf`, `anyOf` and `oneOf` resolved. */
export function schemaProperties(schema: JsonSchema, root: JsonSchema = schema): readonly SchemaProperty[] {
  const whole = resolveSchema(schema, root);
  const properties = isRecord(whole["properties"]) ? whole["properties"] : {};
  const required = Array.isArray(whole["required"]) ? whole["required"] : [];
  return Object.entries(properties).map(([name, value]) => {
    const own = isRecord(value) ? value : {};
    const property = resolveSchema(own, root);
    const description = own["description"] ?? property["description"];
    return {
      name,
      type: typeOf(property),
      isNullable: isNullable(own) || isNullable(property),
      description: typeof description === "string" ? description : "",
      isRequired: required.includes(name),
      schema: property,
      items: isRecord(property["items"]) ? resolveSchema(property["items"], root) : undefined,
    };
  });
}

/** The schema that a reference means, all parts of an `allOf` together, the first useful branch of a union. */
function resolveSchema(schema: JsonSchema, root: JsonSchema, hops = 0): JsonSchema {
  if (hops > MAX_HOPS) return {};
  const { $ref, allOf, ...own } = schema;
  const referred = typeof $ref === "string" ? { ...lookUp($ref, root), ...own } : own;
  const parts = (Array.isArray(allOf) ? allOf : []).filter(isRecord).map((part) => resolveSchema(part, root, hops + 1));
  const merged = parts.reduce(merge, referred);
  if (typeof $ref === "string" && merged["$ref"] !== undefined) return resolveSchema(merged, root, hops + 1);
  const branch = merged["type"] === undefined ? usefulBranch(merged, root, hops) : undefined;
  return branch === undefined ? merged : merge(merged, branch);
}

function usefulBranch(schema: JsonSchema, root: JsonSchema, hops: number): JsonSchema | undefined {
  const union = [schema["anyOf"], schema["oneOf"]].flatMap((choices) => (Array.isArray(choices) ? choices : []));
  const branches = union.filter(isRecord).map((branch) => resolveSchema(branch, root, hops + 1));
  return branches.find(({ type }) => type !== "null");
}

function merge(one: JsonSchema, other: JsonSchema): JsonSchema {
  const properties = [one, other].flatMap(({ properties: all }) => (isRecord(all) ? [all] : []));
  const required = [one, other].flatMap(({ required: names }) => (Array.isArray(names) ? names : []));
  return {
    ...other,
    ...one,
    ...(properties.length === 0 ? {} : { properties: Object.assign({}, ...properties) }),
    ...(required.length === 0 ? {} : { required }),
  };
}

function lookUp(ref: string, root: JsonSchema): JsonSchema {
  if (!ref.startsWith("#/")) return {};
  let found: unknown = root;
  for (const part of ref.slice(2).split("/")) found = isRecord(found) ? found[part] : undefined;
  return isRecord(found) ? found : {};
}

function typeOf(schema: JsonSchema): string {
  const types = [schema["type"]].flat().filter((type) => typeof type === "string" && type !== "null");
  if (typeof types[0] === "string") return types[0];
  return isRecord(schema["properties"]) ? "object" : "string";
}

function isNullable({ type, anyOf, oneOf }: JsonSchema): boolean {
  const union = [anyOf, oneOf].flatMap((choices) => (Array.isArray(choices) ? choices : []));
  const types = [type, ...union.filter(isRecord).map((branch) => branch["type"])].flat();
  return types.includes("null");
}
