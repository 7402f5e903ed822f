import { describe, expect, it } from "vitest";
import { readToolSchema } from "./tool-schema.ts";

const a = { a: { type: "string" } };

describe("a tool's input schema", () => {
  it.each([
    ["null for what is absent", { type: "object", properties: null, required: null }, { type: "object" }],
    ["an empty list for an empty map", { type: "object", properties: [] }, { type: "object", properties: {} }],
    ["no schema", undefined, { type: "object", properties: {} }],
    ["true", true, { type: "object", properties: {} }],
    ["an empty list", [], { type: "object", properties: {} }],
    ["no type", { properties: a }, { type: "object", properties: a }],
    ["null as type", { type: null, properties: a }, { type: "object", properties: a }],
    ["several types", { type: ["object", "null"], properties: a }, { type: "object", properties: a }],
    [
      "one name instead of a list",
      { properties: a, required: "a" },
      { type: "object", properties: a, required: ["a"] },
    ],
    ["names that are none", { required: ["a", 1, null] }, { type: "object", required: ["a"] }],
    ["draft 3's flag", { required: true }, { type: "object", required: [] }],
    [
      "Gemini's spelling",
      { type: "OBJECT", properties: { list: { type: "ARRAY", items: { anyOf: [{ type: "STRING" }] } } } },
      { type: "object", properties: { list: { type: "array", items: { anyOf: [{ type: "string" }] } } } },
    ],
    [
      "properties that are no objects",
      { properties: { yes: true, no: false, none: null, odd: 5 } },
      { type: "object", properties: { yes: {}, no: { not: {} }, none: {}, odd: {} } },
    ],
  ])("is mended where it means the same: %s", (_what, given, schema) => {
    expect(readToolSchema(given)).toEqual({ schema });
  });

  it("is left as it is where it is good, whatever else it says", () => {
    const schema = {
      type: "object",
      $defs: { list: { items: { $ref: "#/$defs/list" } } },
      properties: JSON.parse('{"__proto__":{"type":"STRING"},"constructor":{"$ref":"#/$defs/list"}}') as object,
      required: ["__proto__"],
      "x-unknown": [null],
    };
    const read = readToolSchema(schema);
    expect(JSON.stringify(read)).toBe(JSON.stringify({ schema }));
  });

  it.each([
    ["false", false, "must be a JSON Schema object"],
    ["a text", "object", "must be a JSON Schema object"],
    ["a list", [{}], "must be a JSON Schema object"],
    ["another type", { type: "string" }, 'must be of type "object", not "string"'],
    ["other types", { type: ["string", "null"] }, 'must be of type "object", not ["string","null"]'],
    ["properties that are none", { properties: "a" }, "properties: must be an object"],
    ["a list of properties", { properties: [{ name: "a" }] }, "properties: must be an object"],
    [
      "deep nesting",
      JSON.parse(`${'{"items":'.repeat(50_000)}{}${"}".repeat(50_000)}`) as unknown,
      "is nested deeper than 100 levels",
    ],
  ])("is refused where it cannot be an object's: %s", (_what, given, problem) => {
    expect(readToolSchema(given)).toEqual({ problem });
  });
});
