import { expect, it } from "vitest";
import type { HighlightedLine } from "../markdown/highlighter.ts";
import { fromUnified } from "./diff-rows.ts";
import { rowColours, sideText, toPieces } from "./highlighted-rows.ts";

const { rows } = fromUnified("@@ -1,3 +1,3 @@\n one\n-two\n+deux\n three\n");
const lines = (...texts: readonly string[]): readonly HighlightedLine[] => texts.map((text) => [[text, "x"]]);

it("reads each side of a change by itself", () => {
  expect([sideText(rows, "old"), sideText(rows, "new")]).toEqual(["one\ntwo\nthree", "one\ndeux\nthree"]);
});

it("gives each row the colours of its own line, and a hunk's head none", () => {
  const colours = rowColours(rows, lines("one", "two", "three"), lines("one", "deux", "three"));
  expect(colours.map((line) => line?.[0]?.[0])).toEqual([undefined, "one", "two", "deux", "three"]);
});

it("cuts a line where its colour changes and where the changed part begins and ends", () => {
  const row = { kind: "add", text: "let a = 12;", emphasis: [6, 10] } as const;
  const line: HighlightedLine = [
    ["let", "keyword"],
    [" a = ", ""],
    ["12", "constant"],
    [";", ""],
  ];
  expect(toPieces(row, line)).toEqual([
    { text: "let", token: "keyword", isMarked: false },
    { text: " a ", token: "", isMarked: false },
    { text: "= ", token: "", isMarked: true },
    { text: "12", token: "constant", isMarked: true },
    { text: ";", token: "", isMarked: false },
  ]);
});

it("shows the whole line without colours where those found are of another text", () => {
  const whole = [{ text: "rm -rf \r/", token: "", isMarked: false }];
  const row = { kind: "add", text: "rm -rf \r/" } as const;
  expect([toPieces(row, undefined), toPieces(row, [["rm -rf ", "keyword"]])]).toEqual([whole, whole]);
});
