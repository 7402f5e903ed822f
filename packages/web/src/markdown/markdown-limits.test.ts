import { expect, it } from "vitest";
import { lexWithinLimits } from "./markdown-limits.ts";

/** Pieces that, repeated, took the square of their number: in lists and quotations, in emphasis, links and addresses. */
const hostile = [
  "- ",
  "*a ",
  "_a__b*c**",
  "a-_.",
  "[](",
  "![",
  "`a``",
  "<!--",
  "> - ",
  "+ # \n    __",
  "+ \n  -->",
  "1. <a \n| ",
  "[\n| \n> ```",
  "\n- ",
  "| a ",
  "|a|\n|-|\n",
  "[a]: b\n",
  "a@b.",
  "www.",
  "\\*",
  "&#",
  "```\n",
  "- ```\n",
  "x\n\n",
];
const repeat = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));

function best(work: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return Math.min(...times);
}

it.each(hostile)("Markdown costs as much as it is long: %j", (piece) => {
  const [some, more] = [repeat(piece, 10_000), repeat(piece, 100_000)];
  lexWithinLimits(some);
  const few = best(() => lexWithinLimits(some));
  // Less than this is nothing on a busy machine.
  expect(best(() => lexWithinLimits(more))).toBeLessThan(20 * Math.max(few, 15));
});

it.each(hostile)("Markdown keeps each character of what it cannot read: %j", (piece) => {
  const text = `Before.\n\n${repeat(piece, 30_000)}`;
  const raws = lexWithinLimits(text).map(({ raw }) => raw);
  expect(raws.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
});
