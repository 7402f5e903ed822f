/** A JSON Schema, as far as ours go. */
export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
}

/** The least that a schema takes, so that a request gets past the check of its form. `known` are values by the names of properties. */
export function sampleValue(schema: Schema, known: Readonly<Record<string, unknown>> = {}): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return sampleValue(first, known);
  if (schema.type === "object") return sampleObject(schema, known);
  if (schema.type === "array")
    return Array.from({ length: schema.minItems ?? 0 }, () => sampleValue(schema.items ?? {}, known));
  if (schema.type === "integer" || schema.type === "number") return Math.max(schema.minimum ?? 0, 0);
  return schema.type === "boolean" ? true : "x";
}

function sampleObject({ properties = {}, required = [] }: Schema, known: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    if (name in known) return [[name, known[name]]];
    return required.includes(name) ? [[name, sampleValue(schema, known)]] : [];
  });
  return Object.fromEntries(entries);
}
