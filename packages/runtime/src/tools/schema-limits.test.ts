import { expect, it } from "vitest";
import { createJsonValidators } from "../conversations/demands/json-validator.ts";
import { growthOf, MOST_LINEAR_GROWTH } from "../testing/growth-of.ts";
import { createInputValidators } from "./input-validator.ts";

type Schema = Record<string, unknown>;
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const each = (count: number, of: (name: string) => unknown): Schema =>
  Object.fromEntries(names(count).map((name) => [name, of(name)]));
const list = (count: number, of: (name: string) => unknown): readonly unknown[] => names(count).map(of);

/** Parts that can be repeated arbitrarily often in a schema. */
const shapes: Readonly<Record<string, (count: number) => Schema>> = {
  properties: (count) => ({ type: "object", properties: each(count, () => ({ type: "string" })) }),
  unions: (count) => ({ anyOf: list(count, () => ({ type: "string" })) }),
  places: (count) => ({ prefixItems: list(count, () => ({ type: "string" })) }),
  conditions: (count) => ({ allOf: list(count, () => ({ if: { const: 1 }, else: { type: "string" } })) }),
  negations: (count) => ({ allOf: list(count, () => ({ not: {} })) }),
  definitions: (count) => ({
    $defs: each(count, () => ({ type: "string" })),
    anyOf: list(count, (name) => ({ $ref: `#/$defs/${name}` })),
  }),
  "references to a large definition": (count) => ({
    $defs: { large: { properties: each(count, () => ({ type: "string" })) } },
    prefixItems: list(count, () => ({ $ref: "#/$defs/large" })),
  }),
  "references to itself": (count) => ({ prefixItems: list(count, () => ({ $ref: "#" })) }),
  patterns: (count) => ({ prefixItems: list(count, (name) => ({ pattern: `^${name}` })) }),
  "names by pattern": (count) => ({ patternProperties: each(count, () => ({ type: "string" })) }),
  "nested properties": (count) =>
    Array.from({ length: count }).reduce<Schema>((inner) => ({ properties: { a: inner } }), {}),
  choices: (count) => ({ enum: list(count, (name) => ({ name })) }),
  demands: (count) => ({ required: names(count) }),
  dependencies: (count) => ({ dependentRequired: each(count, () => ["a"]) }),
  "what is not evaluated": (count) => ({
    unevaluatedProperties: false,
    anyOf: list(count, (name) => ({ properties: { [name]: {} } })),
  }),
};

const use = (work: () => unknown): void => {
  try {
    work();
  } catch {
    // A refusal is an answer.
  }
};

it.each(Object.entries(shapes))(
  "compiles a schema, or refuses it, in time that its length bounds: %s",
  (_name, shapeOf) => {
    let round = 0;
    // A new schema each round, so none is compiled twice.
    const another = (size: number): Schema => {
      round += 1;
      return { ...shapeOf(size / 20), title: String(round) };
    };
    const validators = [createJsonValidators(), createInputValidators()] as const;
    // A tenth of the limits against what is beyond them.
    expect(growthOf(2_000, (size) => use(() => validators[0](another(size), "f")))).toBeLessThan(MOST_LINEAR_GROWTH);
    expect(growthOf(10_000, (size) => use(() => validators[1](another(size))))).toBeLessThan(MOST_LINEAR_GROWTH);
  },
);

it("refuses by name a schema with more parts than are compiled beside streams, and takes one with a thousand properties", () => {
  const validators = createJsonValidators();
  const described = (count: number): Schema => ({
    properties: each(count, () => ({ type: "string", description: "What it is" })),
  });
  expect(validators(described(1_000), "f")({ n7: 7 })).toBe("its /n7 must be string");
  expect(() => validators(described(1_300), "response_format")).toThrow(
    "response_format: is no JSON Schema that an answer can be checked against: it has more than 5000 parts",
  );
  expect(() => createInputValidators()(described(1_300))).toThrow("The tool's own input schema cannot be used");
});

it("words complaints about an input in time that its length bounds", () => {
  const validate = createInputValidators()({
    type: "object",
    properties: each(100, () => ({ enum: names(100) })),
    additionalProperties: false,
  });
  const inputs = (size: number): Schema =>
    Object.fromEntries(Array.from({ length: size }, (_, index) => [`x${index}`, 1]));
  expect(growthOf(1_000, (size) => void validate(inputs(size)))).toBeLessThan(MOST_LINEAR_GROWTH);
});
