import { expect, it } from "vitest";
import { growthOf, MOST_LINEAR_GROWTH } from "../../testing/growth-of.ts";
import { saysSomething, splitNotes, stableSystem, withoutClientMarkup } from "../../turns/client-notes/client-notes.ts";
import { readQuestion } from "./read-question.ts";

const repeat = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));
const numbered = (length: number, piece: (index: number) => string): string =>
  Array.from({ length: length / 14 }, (_, index) => piece(index)).join("\n");

/** What a message or a system prompt may be, at any length. */
const hostile: Readonly<Record<string, (length: number) => string>> = {
  "a name of many parts": (length) => `<a-${repeat("a-", length)}`,
  "opening tags, then closing tags that end no line": (length) =>
    repeat("<env>\n", length / 2) + repeat("</env>x\n", length / 2),
  "many tags that are never closed": (length) => numbered(length, (index) => `<reminder${index}>`),
  "many tags that end no line": (length) => numbered(length, (index) => `<reminder${index}>\n</reminder${index}>x`),
  "brackets that are never closed": (length) => repeat("<<<BEGIN_CONTEXT>>>\n", length),
  "a branch with many dots": (length) => `## ${repeat("...[", length)}`,
  "a clean state with many dashes": (length) => `nothing to commit${repeat(" -", length)}\rx`,
  "many dates": (length) => repeat("Monday, 1 January ", length),
  "many lines that say the date": (length) => repeat("Today is \n", length),
  "many directories": (length) => repeat("working directory (/", length),
  "blanks within": (length) => `x${repeat(" \t", length)}x`,
  "quotation marks and tags": (length) => repeat('"<a', length),
};

it.each(Object.entries(hostile))("a text costs as much as it is long: %s", (_name, textOf) => {
  const growth = growthOf(20_000, (length) => {
    const text = textOf(length);
    splitNotes(text);
    stableSystem(text);
    withoutClientMarkup(text);
    saysSomething(text);
  });
  expect(growth).toBeLessThan(MOST_LINEAR_GROWTH);
});

it("a transcript costs as much as it has messages", () => {
  const growth = growthOf(3_000, (count) => {
    readQuestion({
      system: "",
      messages: Array.from({ length: count }, (_, index) => ({
        role: "user" as const,
        parts: [{ kind: "text" as const, text: `a${index}` }],
      })),
      tools: [],
      place: [],
      owner: "",
      sessionKey: undefined,
      variant: [],
      sendsSystem: true,
    });
  });
  expect(growth).toBeLessThan(MOST_LINEAR_GROWTH);
});
