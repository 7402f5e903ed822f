import { describe, expect, it } from "vitest";
import { createTextSearch } from "./search-long-text.ts";

const expressions = [/secret|==|_key/i, /(?<![A-Za-z0-9])(?:sk-|SG\.)/];
const search = createTextSearch(expressions, ["secret", "==", "_key", "sk-", "SG."]);
const filler = "all work and no play ".repeat(400);

describe("the search in a long text", () => {
  it.each(["secret", "SECRET", "==", "_Key", "sk-", "SG."])(
    "finds %j at the start, in the middle and at the end",
    (word) => {
      const texts = [`${word} ${filler}`, `${filler}${word} ${filler}`, `${filler}${word}`];
      expect(texts.map(search)).toEqual([true, true, true]);
    },
  );

  it.each(["secre t", "=", "_ke", "ask-", "sg."])("does not take %j for one", (word) => {
    const texts = [`${word} ${filler}`, `${filler}${word} ${filler}`, `${filler}${word}`];
    expect(texts.map(search)).toEqual([false, false, false]);
  });

  it("finds a secret with letters beyond ASCII", () => {
    const find = createTextSearch([/pässword/i], ["pässword"]);
    expect([find(`${filler}PÄSSWORD${filler}`), find(filler)]).toEqual([true, false]);
  });
});
