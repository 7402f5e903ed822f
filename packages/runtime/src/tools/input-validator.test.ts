import { expect, it } from "vitest";
import { createInputValidators } from "./input-validator.ts";

const tree = (more: object) => ({
  type: "object",
  properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#" } } },
  required: ["value"],
  ...more,
});

it("a schema that names itself is checked at every depth, also beside another one of the same $id [A11]", () => {
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
