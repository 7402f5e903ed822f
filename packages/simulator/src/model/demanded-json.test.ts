import { expect, it } from "vitest";
import { inDemandedShape } from "./demanded-json.ts";
import { planSteps } from "./plan-steps.ts";
import { promptText } from "./prompt-text.ts";

const rulesOf = (schema: object): string => `Be brief.\n\nIt must match this JSON Schema:\n${JSON.stringify(schema)}`;

it("fills the schema that the rules demand with the answer, and leaves an answer that has a shape", () => {
  const schema = {
    type: "object",
    properties: {
      answer: { type: "string", maxLength: 9 },
      sum: { type: "integer" },
      sure: { type: "boolean" },
      kind: { enum: ["good", "bad"] },
      parts: { type: "array", minItems: 2, items: { $ref: "#/$defs/part" } },
    },
    required: ["answer", "sum", "sure", "kind", "parts"],
    $defs: { part: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
  };
  expect(JSON.parse(inDemandedShape("2 + 3 = 5", rulesOf(schema)))).toEqual({
    answer: "2 + 3 = 5",
    sum: 5,
    sure: true,
    kind: "good",
    parts: [{ name: "2 + 3 = 5" }, { name: "2 + 3 = 5" }],
  });
  expect(inDemandedShape('{"a":1}', rulesOf(schema))).toBe('{"a":1}');
  expect(inDemandedShape("Hello", "Be brief.")).toBe("Hello");
});

it.each([
  ['"Use the echo tool {"text":"hi there"}"', 'Use the echo tool {"text":"hi there"}'],
  ['"Say "x" twice"', 'Say "x" twice'],
  ['"Read \\"a.txt\\""', 'Read "a.txt"'],
  ['"plain words"', "plain words"],
  ['"a" and "b"', '"a" and "b"'],
])("takes the quotes off that a client has put around a whole prompt: %s", (prompt, text) => {
  expect(promptText(prompt)).toBe(text);
});

it("finds the file of a clause that names its directory first", () => {
  expect(planSteps("In /tmp/work/ws replace A with B in a.txt")).toEqual([
    [{ kind: "edit", path: "/tmp/work/ws/a.txt", oldText: "A", newText: "B" }],
  ]);
});
