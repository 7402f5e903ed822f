import { expect, it } from "vitest";
import { samplingOf } from "./sampling-and-format.ts";

it.each([
  ["temperature", { temperature: 0.2 }, { temperature: 0.9 }],
  ["seed", { seed: 1 }, { seed: 2 }],
  ["stop", { stop: ["a"] }, { stop: ["b"] }],
  ["max_tokens", { max_tokens: 1 }, { max_tokens: 2 }],
  ["reasoning_effort", {}, { reasoning_effort: "high" }],
  ["response_format", {}, { response_format: { type: "json_object" } }],
])("distinguishes requests that differ in %s", (_, one, other) => {
  expect(samplingOf(one)).not.toBe(samplingOf(other));
});

it("takes a retry for the same as what it repeats, however the fields are ordered", () => {
  const first = samplingOf({ temperature: 1, top_p: 0.5, stream: true, metadata: { id: 1 } });
  expect(samplingOf({ top_p: 0.5, stream: false, temperature: 1, metadata: { id: 2 } })).toBe(first);
});
