import { CaretError } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createJsonValidators } from "./json-validator.ts";

const validators = createJsonValidators();

function refusal(schema: unknown): string {
  try {
    validators(schema, "response_format.schema");
    return "taken";
  } catch (reason) {
    const { code, message } = CaretError.from(reason);
    return `${code}: ${message.slice(0, 60)}`;
  }
}

describe("a schema that an answer is checked against", () => {
  it.each([
    ["unknown keywords", { type: "object", "x-order": ["a"], nullable: true }, { a: 1 }, undefined],
    ["unknown formats", { type: "string", format: "cusip" }, "x", undefined],
    ["a format", { type: "string", format: "email" }, "x", 'the value must match format "email"'],
    [
      "references to its own definitions",
      { $ref: "#/$defs/a", $defs: { a: { type: "array", items: { $ref: "#/$defs/a" } } } },
      [[], [1]],
      "its /1/0 must be array",
    ],
    ["true", true, 5, undefined],
    ["nothing", {}, 5, undefined],
    ["false", false, 5, "the value boolean schema is false"],
    ["draft 7", { $schema: "http://json-schema.org/draft-07/schema#", type: "object" }, {}, undefined],
    ["an id that another has, too", { $id: "https://a.b/c", type: "string" }, 1, "the value must be string"],
    ["its id once more", { $id: "https://a.b/c", type: "number" }, 1, undefined],
  ])("may have %s", (_what, schema, value, complaint) => {
    expect(validators(schema, "f")(value)).toBe(complaint);
  });

  it.each([
    ["another type than there is", { type: "nothing" }],
    ["a reference to nowhere", { $ref: "#/$defs/missing" }],
    ["a reference to elsewhere", { $ref: "https://example.com/schema.json" }],
    ["a broken pattern", { type: "string", pattern: "(" }],
    ["a draft that is unknown", { $schema: "urn:mine", type: "object" }],
    ["a text", "object"],
    ["a list", []],
    ["null", null],
    ["deep nesting", JSON.parse(`${'{"items":'.repeat(20_000)}{}${"}".repeat(20_000)}`) as unknown],
  ])("is refused, by its field, with %s", (_what, schema) => {
    expect(refusal(schema)).toMatch(/^invalid-request: response_format\.schema: is no JSON Schema/);
    // The next one is not affected.
    expect(validators({ type: "number" }, "f")(1)).toBeUndefined();
  });

  it("whose pattern tries each way through a text is given up in time, and nothing unchecked is given", () => {
    const check = validators({ type: "string", pattern: "^(a+)+$" }, "f");
    const started = performance.now();
    expect(check(`${"a".repeat(60)}!`)).toBe("it could not be checked against the schema in time");
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(check("aaa")).toBeUndefined();
  });

  it("may be huge", () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
    const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) };
    expect([validators(schema, "f")({ n7: "x" }), validators(schema, "f")({ n7: 7 })]).toEqual([
      undefined,
      "its /n7 must be string",
    ]);
  });
});

it.each([{}, { $schema: "http://json-schema.org/draft-07/schema#" }, { $id: "https://a.example/tree" }])(
  "a schema that names itself, as OpenAI writes recursion, is checked at every depth: %j",
  (more) => {
    const children = { type: "array", items: { $ref: "#" } };
    const tree = { type: "object", properties: { value: { type: "number" }, children }, required: ["value"], ...more };
    const validators = createJsonValidators();
    const of = (schema: object) => validators(schema, "schema");
    const wrong = { value: 1, children: [{ value: 2, children: [{ value: "3" }] }] };
    expect([
      of(tree)({ value: 1, children: [{ value: 2 }] }),
      of(tree)(wrong),
      of({ ...tree, title: "Another" })(wrong),
    ]).toEqual([
      undefined,
      "its /children/0/children/0/value must be number",
      "its /children/0/children/0/value must be number",
    ]);
  },
);
