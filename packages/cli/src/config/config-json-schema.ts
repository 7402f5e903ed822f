import { z } from "zod";
import { createConfigSchema, documentedDefaults } from "./config-schema.ts";

/** The JSON Schema of `caret.json`, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  const { properties, ...schema } = z.toJSONSchema(createConfigSchema(documentedDefaults), { io: "input" });
  const $schema = { type: "string", description: "The address of this schema, for editors." };
  return { ...schema, title: "Caret's configuration", properties: { $schema, ...properties } };
}
