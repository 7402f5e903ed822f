import { expect, it } from "vitest";
import { numberedLines } from "./read-body.tsx";

it("numbers the lines of a read from where it began", () => {
  expect(numberedLines("a\nb\n", 10)).toEqual({ lines: ["a", "b"], first: 10 });
});

it("takes the numbers that an agent wrote itself, and shows them once", () => {
  expect(numberedLines("   7→one\n   8→\n   9→three", 1)).toEqual({ lines: ["one", "", "three"], first: 7 });
});

it("leaves lines alone that only begin with numbers", () => {
  expect(numberedLines("1\tapple\n1\tpear", 1)).toEqual({ lines: ["1\tapple", "1\tpear"], first: 1 });
});
