import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseText } from "./text-layer.ts";

const number = z.number().default(1);
const flag = z.boolean().optional();
const list = z.array(z.string()).default([]);
const map = z.record(z.string(), z.string());

describe("parseText", () => {
  it.each([
    ["60000", 60_000],
    [" 0.5 ", 0.5],
    ["1e3", 1000],
  ])("reads %j as a number", (text, value) => {
    expect(parseText(number, text)).toEqual({ value });
  });

  it.each(["NaN", "Infinity", "0x10", "1 2", " ", "ten"])("does not read %j as a number", (text) => {
    expect(parseText(number, text)).toEqual({ expected: "expected a number" });
  });

  it.each([
    ["true", true],
    ["1", true],
    ["False", false],
    ["0", false],
  ])("reads %j as yes or no", (text, value) => {
    expect(parseText(flag, text)).toEqual({ value });
  });

  it.each(["yes", "2", "constructor"])("does not read %j as yes or no", (text) => {
    expect(parseText(flag, text)).toEqual({ expected: "expected true, false, 1 or 0" });
  });

  it.each([
    ["a, b,,c", ["a", "b", "c"]],
    ['["a,b"]', ["a,b"]],
  ])("reads %j as a list", (text, value) => {
    expect(parseText(list, text)).toEqual({ value });
  });

  it("reads a map as JSON", () => {
    expect([parseText(map, '{"a":"b"}'), parseText(map, "a=b")]).toEqual([
      { value: { a: "b" } },
      { expected: "expected JSON" },
    ]);
  });

  it("leaves a string as it is", () => {
    expect(parseText(z.string(), " 12 ")).toEqual({ value: " 12 " });
  });
});
