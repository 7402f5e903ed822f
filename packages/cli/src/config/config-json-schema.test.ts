import { describe, expect, it } from "vitest";
import { configJsonSchema } from "./config-reference.ts";
import { createConfigSchema, documentedDefaults } from "./config-schema.ts";
import { listKeys } from "./key-names.ts";

interface SchemaNode {
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

describe("configJsonSchema", () => {
  it("says of every key what it means, and demands none", () => {
    const root = configJsonSchema() as SchemaNode;
    const at = (key: string) =>
      key.split(".").reduce<SchemaNode | undefined>((node, name) => node?.properties?.[name], root);
    const keys = listKeys(createConfigSchema(documentedDefaults));
    expect(keys.map(({ key }) => [key, at(key)?.description])).toEqual(
      keys.map(({ key, schema }) => [key, schema.description]),
    );
    expect(keys.filter(({ schema }) => (schema.description ?? "").length < 10)).toEqual([]);
    expect(JSON.stringify(root)).not.toContain('"required"');
  });

  it("lets a file name its schema, and nothing unknown", () => {
    const { properties, additionalProperties, title } = configJsonSchema() as SchemaNode & Record<string, unknown>;
    expect({ $schema: properties?.["$schema"], additionalProperties, title }).toEqual({
      $schema: { type: "string", description: "The address of this schema, for editors." },
      additionalProperties: false,
      title: "Caret's configuration",
    });
  });

  it("shows the documented default of what depends on the machine", () => {
    const { properties } = configJsonSchema() as { properties: Record<string, unknown> };
    expect(properties["dataDir"]).toMatchObject({ type: "string", default: "~/.local/share/caret" });
  });
});
