import { expect, it } from "vitest";
import { tameJson } from "./tame-json.ts";

const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);

it.each([null, undefined, "text", 7, {}, [], { a: [{ b: "c" }] }, nested(128)])("takes ordinary JSON", (json) => {
  expect(() => tameJson(json)).not.toThrow();
});

it.each([
  ["lists", nested(200)],
  ["a hundred thousand lists", nested(100_000)],
  ["objects", JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`)],
  ["one deep thing among many", [...Array.from({ length: 100 }, () => ({ a: 1 })), nested(200)]],
])("refuses %s nested too deep", (_name, json) => {
  expect(() => tameJson(json)).toThrow("The body: is nested more than 128 deep.");
});

it("takes out keys that would become a prototype, wherever they stand, and leaves properties of those names", () => {
  const json: unknown = JSON.parse(
    '{"a":[{"__proto__":{"isAdmin":true},"b":1}],"constructor":{"prototype":{}},"c":{"constructor":{"type":"string"}}}',
  );
  tameJson(json);
  expect(JSON.stringify(json)).toBe('{"a":[{"b":1}],"c":{"constructor":{"type":"string"}}}');
});
