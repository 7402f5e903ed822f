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

  it.each(["secret", "==", "_key", "sk-", "SG."])(
    "finds %j wherever it stands, also where two parts of the text meet",
    (word) => {
      const places = [0, 1, 2, 3, 4_095, 4_096, ...Array.from({ length: 24 }, (_, place) => 65_520 + place)];
      const found = places.filter((place) => search(`${" ".repeat(place)}${word}${" ".repeat(70_000 - place)}`));
      expect(found).toEqual(places);
    },
  );

  it("finds one at the end of a text of any length", () => {
    const lengths = Array.from({ length: 20 }, (_, length) => 65_525 + length);
    expect(lengths.filter((length) => search(`${" ".repeat(length - 2)}==`))).toEqual(lengths);
  });

  it("finds secrets of any length among words that begin like them, wherever they stand", () => {
    const secrets = ["Q~", "AIz", "hvs1", "glpat-", "npm_x", "pas🔑"];
    const find = createTextSearch([new RegExp(secrets.join("|"), "i")], secrets);
    const noise = "aiming at npm, hvs and glpa; Q passes as a pas ".repeat(100);
    const around = [0, 1, 2, 3].map((from) => noise.slice(from));
    const missed = secrets.filter((secret) =>
      around.some((before) => !find(`${before}${secret}${noise}`) || !find(`${before}${secret}`)),
    );
    expect([missed, find(noise)]).toEqual([[], false]);
  });

  it("finds a secret with letters beyond ASCII", () => {
    const find = createTextSearch([/pässword/i], ["pässword"]);
    expect([find(`${filler}PÄSSWORD${filler}`), find(filler)]).toEqual([true, false]);
  });
});
