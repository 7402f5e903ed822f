import { describe, expect, it } from "vitest";
import { createTracer, type FinishedSpan } from "./create-tracer.ts";

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";

function setUp({ sampleRatio = 1, random = 0.5 } = {}) {
  const taken: FinishedSpan[] = [];
  const clock = { ms: 0 };
  let made = 0;
  const tracer = createTracer({
    take: (span) => taken.push(span),
    sampleRatio,
    random: () => random,
    randomHex: (bytes) => String(++made).repeat(bytes * 2),
    wallClock: () => 1_800_000_000_000,
    monotonic: () => clock.ms,
  });
  return { tracer, taken, clock };
}

describe("a span", () => {
  it("is a part of the trace that its parent names, and has what was said of it until its end", () => {
    const { tracer, taken, clock } = setUp();
    const span = tracer.start("turn", { parent: `${parent}-01`, attributes: { lane: "sim" } });
    clock.ms = 1.5;
    span.event("first token");
    span.set({ outcome: "failed" });
    clock.ms = 4;
    span.end({ isFailed: true });
    span.end();
    expect(taken).toEqual([
      {
        traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
        spanId: "1111111111111111",
        parentId: "00f067aa0ba902b7",
        name: "turn",
        kind: "internal",
        startedAt: 1_800_000_000_000,
        endedAt: 1_800_000_000_004,
        attributes: { lane: "sim", outcome: "failed" },
        events: [{ name: "first token", at: 1_800_000_000_001.5, attributes: {} }],
        isFailed: true,
      },
    ]);
  });

  it("begins a trace of its own where its parent is not valid", () => {
    const { tracer, taken } = setUp();
    tracer.start("request", { parent: "no traceparent", kind: "server" }).end();
    expect(taken.map(({ traceId, parentId, kind }) => [traceId, parentId, kind])).toEqual([
      ["1".repeat(32), undefined, "server"],
    ]);
  });

  it("that the sampling left out is not recorded, nor are its children", () => {
    const { tracer, taken } = setUp({ sampleRatio: 0.25, random: 0.25 });
    const span = tracer.start("request");
    const child = tracer.start("turn", { parent: span.traceparent });
    child.event("first token");
    child.end();
    span.end();
    expect([taken, span.traceparent, child.traceparent]).toEqual([
      [],
      `00-${"1".repeat(32)}-${"2".repeat(16)}-00`,
      `00-${"1".repeat(32)}-${"3".repeat(16)}-00`,
    ]);
  });

  it("is recorded or not as its client decided, whatever the ratio", () => {
    const none = setUp({ sampleRatio: 0 });
    none.tracer.start("request", { parent: `${parent}-01` }).end();
    const all = setUp({ sampleRatio: 1 });
    all.tracer.start("request", { parent: `${parent}-00` }).end();
    expect([none.taken.length, all.taken.length]).toEqual([1, 0]);
  });
});
