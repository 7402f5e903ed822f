import { z } from "zod";
import { createConfigSchema, documentedDefaults } from "./config-schema.ts";
import { documentedKeys } from "./documented-keys.ts";
import { entryOf, keyTraits, shapeOf, toVariable, unwrap } from "./key-names.ts";

/** The table of all keys in `docs/configuration.md`. */
export function configReference(): string {
  const rows = documentedKeys().flatMap(({ key, schema }) => [
    row(key, schema, `\`${toVariable(key)}\``),
    ...entryRows(key, schema),
  ]);
  return ["| Key | Type | Default | Variable | Meaning |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** Members of a map's entries: set inside the map, so they have no variable. */
function entryRows(key: string, schema: z.ZodType): readonly string[] {
  const shape = shapeOf(entryOf(schema) ?? schema) ?? {};
  return Object.entries(shape).map(([name, member]) => row(`${key}.<name>.${name}`, member, ""));
}

function row(key: string, schema: z.ZodType, variable: string): string {
  const name = keyTraits.get(schema)?.project === undefined ? `\`${key}\`` : `\`${key}\` *`;
  const cells = [name, typeText(schema), defaultText(schema), variable, schema.description ?? ""];
  return `| ${cells.join(" | ")} |`;
}

function typeText(schema: z.ZodType): string {
  const type = unwrap(schema);
  if (type instanceof z.ZodEnum) return type.options.map((option) => `\`${option}\``).join(", ");
  if (type instanceof z.ZodNumber) return type.format === "safeint" ? "whole number" : "number";
  if (type instanceof z.ZodBoolean) return "true or false";
  if (type instanceof z.ZodArray) return type.element instanceof z.ZodObject ? "list, as JSON" : "list of strings";
  if (type instanceof z.ZodRecord) return "map";
  return "string";
}

function defaultText(schema: z.ZodType): string {
  const value = schema.safeParse(undefined).data;
  return value === undefined ? "" : `\`${JSON.stringify(value)}\``;
}

/** The JSON Schema of `caret.json`, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  const { properties, ...schema } = z.toJSONSchema(createConfigSchema(documentedDefaults), { io: "input" });
  const $schema = { type: "string", description: "The address of this schema, for editors." };
  return { ...schema, title: "Caret's configuration", properties: { $schema, ...properties } };
}
