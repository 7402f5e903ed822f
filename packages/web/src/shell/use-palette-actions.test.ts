import { expect, it } from "vitest";
import { rankEntries } from "./use-palette-actions.tsx";

const entries = [
  { id: "1", label: "Fix the reconnecting" },
  { id: "2", label: "Connect", also: "clients recipes" },
  { id: "3", label: "Usage", also: "tokens cost" },
];
const found = (typed: string) => rankEntries(entries, typed).map(({ id }) => id);

it("shows everything in its order while nothing is typed", () => {
  expect(found(" ")).toEqual(["1", "2", "3"]);
});

it("puts a word's beginning before its middle, and a name before other words", () => {
  expect(found("conn")).toEqual(["2", "1"]);
  expect(found("cost")).toEqual(["3"]);
});

it("wants every word, in any order", () => {
  expect(found("recon fix")).toEqual(["1"]);
  expect(found("fix cost")).toEqual([]);
});
