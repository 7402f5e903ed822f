import { describe, expect, it } from "vitest";
import type { LaneEntry } from "../lanes/lane.ts";
import { capOutputs } from "./cap-outputs.ts";

const result = (output: string): LaneEntry => ({
  event: { type: "tool-result", callId: "c", status: "ok", output },
  raw: "the line",
});
const speech: LaneEntry = { event: { type: "text-delta", blockId: "b", text: "0123456789abc" } };

describe("the output of a tool", () => {
  it("is kept as it is up to the limit, like everything else at any length", () => {
    const events = [result("0123456789"), speech];
    expect(capOutputs(events, 10)).toBe(events);
  });

  it("is cut behind it, and says how much is missing", () => {
    expect(capOutputs([speech, result("0123456789abc")], 10)).toEqual([
      speech,
      result("0123456789\n[3 more characters were left out]"),
    ]);
  });
});
