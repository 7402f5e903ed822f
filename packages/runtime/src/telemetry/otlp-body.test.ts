import { expect, it } from "vitest";
import { otlpBody } from "./otlp-body.ts";

it("has ids in hexadecimal, times in nanoseconds, whole numbers as strings and a status only for failures", () => {
  const span = {
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    spanId: "00f067aa0ba902b7",
    name: "turn",
    startedAt: 1_800_000_000_000,
    endedAt: 1_800_000_000_004.25,
    attributes: { "caret.lane": "sim", "caret.log.appends": 3, ratio: 0.5, isCut: true },
    events: [{ name: "first token", at: 1_800_000_000_001.5, attributes: {} }],
  };
  const spans = [
    { ...span, parentId: "1111111111111111", kind: "internal", isFailed: true } as const,
    { ...span, parentId: undefined, kind: "server", attributes: {}, events: [], isFailed: false } as const,
  ];
  const ids = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", name: "turn" };
  const times = { startTimeUnixNano: "1800000000000000000", endTimeUnixNano: "1800000000004250000" };
  expect(otlpBody(spans, { service: "caret-gateway", version: "1.2.3", instance: "i" })).toEqual({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: "service.name", value: { stringValue: "caret-gateway" } },
            { key: "service.version", value: { stringValue: "1.2.3" } },
            { key: "service.instance.id", value: { stringValue: "i" } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: "caret", version: "1.2.3" },
            spans: [
              {
                ...ids,
                ...times,
                parentSpanId: "1111111111111111",
                kind: 1,
                attributes: [
                  { key: "caret.lane", value: { stringValue: "sim" } },
                  { key: "caret.log.appends", value: { intValue: "3" } },
                  { key: "ratio", value: { doubleValue: 0.5 } },
                  { key: "isCut", value: { boolValue: true } },
                ],
                events: [{ timeUnixNano: "1800000000001500000", name: "first token", attributes: [] }],
                status: { code: 2 },
              },
              { ...ids, ...times, kind: 2, attributes: [], events: [], status: {} },
            ],
          },
        ],
      },
    ],
  });
});
