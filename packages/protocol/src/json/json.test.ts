import { expect, it } from "vitest";
import { isJsonObject, parseJson } from "./json.ts";

it("reads JSON, or gives what the caller chose for text that is not", () => {
  expect([parseJson('{"a":1}'), parseJson("null"), parseJson("{"), parseJson("{", "kept")]).toEqual([
    { a: 1 },
    null,
    undefined,
    "kept",
  ]);
});

it("takes neither null nor an array for an object", () => {
  expect([{}, { a: 1 }, null, [], "{}", undefined].filter(isJsonObject)).toEqual([{}, { a: 1 }]);
});
