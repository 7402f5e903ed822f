import { expect, it } from "vitest";
import { createInputValidators } from "./input-validator.ts";

const tree = (more: object) => ({
  type: "object",
  properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#" } } },
  required: ["value"],
  ...more,
});

it("a schema that names itself is checked at every depth, also beside another one of the same $id", () => {
  const validatorOf = createInputValidators();
  const schemas = [
    tree({}),
    tree({ $schema: "http://json-schema.org/draft-07/schema#" }),
    tree({ $id: "https://a.example/tree" }),
    tree({ $id: "https://a.example/tree", additionalProperties: false }),
  ];
  const wrong = { value: 1, children: [{ value: 2, children: [{ value: "3" }] }] };
  expect(schemas.map((schema) => validatorOf(schema)(wrong))).toEqual(
    Array(4).fill(["input.children.0.children.0.value must be number, not a value of type string"]),
  );
});

const inner = { anyOf: [{ properties: { a: { $ref: "#/$defs/x" } } }, { properties: { a: { $ref: "#/$defs/x" } } }] };
const nested = (depth: number): object => (depth === 0 ? { a: 1 } : { a: nested(depth - 1) });

it.each<[string, Record<string, unknown>, unknown]>([
  [
    "a pattern that tries each way",
    { properties: { a: { type: "string", pattern: "^(a+)+$" } } },
    { a: `${"a".repeat(60)}!` },
  ],
  ["unions within unions", { $defs: { x: { type: "object", ...inner } }, $ref: "#/$defs/x" }, nested(60)],
])("refuses in time an input that a schema takes for ever to check: %s", (_name, schema, input) => {
  const validate = createInputValidators()({ type: "object", ...schema });
  const started = performance.now();
  expect(validate(input)).toEqual(["input could not be checked against the schema in time"]);
  expect(performance.now() - started).toBeLessThan(5_000);
});

it("checks a pattern that takes its time in proportion to the text", () => {
  const validate = createInputValidators()({ type: "object", properties: { a: { type: "string", pattern: "^a+$" } } });
  expect([validate({ a: "a".repeat(100_000) }), validate({ a: "b" })]).toEqual([
    [],
    ['input.a must match pattern "^a+$"'],
  ]);
});
