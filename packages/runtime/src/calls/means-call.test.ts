import { expect, it } from "vitest";
import { callKey, meansCall } from "./means-call.ts";

const ours = "callb3b4f0a1c2d3e4f5061728ab";

it.each([
  ["as it was given", ours],
  ["with the underscore that other APIs have", "call_b3b4f0a1c2d3e4f5061728ab"],
  ["in capitals", ours.toUpperCase()],
  ["cut up by hyphens", "call-b3b4f0a1-c2d3e4f5-061728ab"],
  ["behind a prefix", `toolu_${ours}`],
  ["before an item's id", `${ours}|fc_1234`],
  ["between a word and a number", `call_${ours}_0`],
  ["cut off", ours.slice(0, 16)],
])("knows a call by its id when a client sends it %s", (_how, sent) => {
  expect(meansCall(sent, ours)).toBe(true);
});

it.each([
  ["another call's", "callb3b4f0a1c2d3e4f5061728ac"],
  ["a part of the id", "callb3b4"],
  ["an empty id", ""],
  ["only punctuation", "__"],
])("takes %s for another call", (_what, sent) => {
  expect(meansCall(sent, ours)).toBe(false);
});

it("keeps ids apart that have no letter or digit", () => {
  expect([callKey("_"), callKey("--")]).toEqual(["_", "--"]);
});

it("does not look for a short id inside another one", () => {
  expect(meansCall("call_12", "call_1")).toBe(false);
});
