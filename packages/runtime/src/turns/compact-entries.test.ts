import { describe, expect, it } from "vitest";
import type { LaneEntry } from "../lanes/lane.ts";
import { capOutputs, joinDeltas } from "./compact-entries.ts";

const text = (part: string, blockId = "text-1"): LaneEntry => ({ event: { type: "text-delta", blockId, text: part } });
const thought = (part: string): LaneEntry => ({
  event: { type: "thinking-delta", blockId: "thinking-1", text: part },
});
const usage: LaneEntry = { event: { type: "usage", usage: { input: 1 } } };

describe("deltas that arrived together", () => {
  it("become one per block, in order", () => {
    const events = [thought("a"), thought("b"), text("c"), text("d"), usage, text("e"), text("f", "text-2")];
    expect(joinDeltas(events)).toEqual([thought("ab"), text("cd"), usage, text("e"), text("f", "text-2")]);
  });

  it("are the very same list when there is nothing to join", () => {
    const events = [text("a"), usage, text("b")];
    expect(joinDeltas(events)).toBe(events);
  });

  it("are joined in a copy: nobody's event changes", () => {
    const first = text("a");
    joinDeltas([first, text("b")]);
    expect(first).toEqual(text("a"));
  });

  it("of a large read cost one pass", () => {
    const flood = Array.from({ length: 100_000 }, () => text("x"));
    expect(joinDeltas(flood)).toEqual([text("x".repeat(100_000))]);
  });
});

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

  it("is cut between two words: half a secret would not be known for one", () => {
    const cut = [8, 9, 10, 12].map((limit) => capOutputs([result("a word swordfish")], limit)[0]);
    expect(cut).toEqual([
      result("a word \n[9 more characters were left out]"),
      result("a word \n[9 more characters were left out]"),
      result("a word \n[9 more characters were left out]"),
      result("a word \n[9 more characters were left out]"),
    ]);
    expect(capOutputs([result("a word swordfish")], 6)[0]).toEqual(
      result("a word\n[10 more characters were left out]"),
    );
  });
});
