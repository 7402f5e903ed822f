import { expect, it } from "vitest";
import { assertMediaType } from "../access/gate.ts";

it.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])("takes %s", (type) => {
  expect(() => assertMediaType("POST", { "content-type": type })).not.toThrow();
});

it.each([
  ["plain text", { "content-type": "text/plain" }],
  ["a form", { "content-type": "application/x-www-form-urlencoded" }],
  ["a form with a file", { "content-type": "multipart/form-data; boundary=x" }],
  ["plain text that mentions JSON", { "content-type": "text/plain; application/json" }],
  ["something like JSON", { "content-type": "application/jsonx" }],
  ["an empty type", { "content-type": "" }],
  ["no type", {}],
  ["a compressed body", { "content-type": "application/json", "content-encoding": "gzip" }],
])("refuses %s", (_name, headers) => {
  expect(() => assertMediaType("POST", headers)).toThrow("The body has to be JSON");
});

it("asks nothing of a request without a body", () => {
  expect(() => assertMediaType("GET", {})).not.toThrow();
});
