import { describe, expect, it } from "vitest";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const span = "00f067aa0ba902b7";

describe("a traceparent", () => {
  it.each([
    [`00-${trace}-${span}-01`, true],
    [`00-${trace}-${span}-00`, false],
    [`00-${trace}-${span}-03`, true],
    [`cc-${trace}-${span}-01`, true],
    [`cc-${trace}-${span}-01-what-a-later-version-adds`, true],
  ])("%s names its trace, its span and whether they are recorded", (header, isSampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId: trace, spanId: span, isSampled });
  });

  it.each([
    "",
    "00",
    `ff-${trace}-${span}-01`,
    `00-${trace}-${span}-01-more`,
    `cc-${trace}-${span}-01more`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${"0".repeat(32)}-${span}-01`,
    `00-${trace}-${"0".repeat(16)}-01`,
    `00-${trace.slice(1)}-${span}-01`,
    `00-${trace}-${span}-1`,
    `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
    ` 00-${trace}-${span}-01`,
  ])("%j is not valid, and is ignored", (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  it("is written as version 00", () => {
    const parts = { traceId: trace, spanId: span };
    expect([true, false].map((isSampled) => formatTraceparent({ ...parts, isSampled }))).toEqual([
      `00-${trace}-${span}-01`,
      `00-${trace}-${span}-00`,
    ]);
  });
});
