import { describe, expect, it } from "vitest";
import { createStringShortener } from "./shorten-strings.ts";

/** The shortened text, pushed in pieces of this many bytes. */
function shorten(text: string, pieceBytes: number, maxBytes: number): string {
  const shortener = createStringShortener({ maxBytes });
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.byteLength; start += pieceBytes)
    shortener.push(bytes.subarray(start, start + pieceBytes));
  return shortener.take().toString("utf8");
}

const tricky = {
  quotes: 'say "hi" and \\ and \\" and \\\\" and "',
  unicode: "grüße 🍏 漢字 \u2028 \u0000 \uD83D alone",
  backslashes: "\\".repeat(40),
  empty: "",
  nested: ['"', "\\", { '"key\\': "🍏".repeat(20) }],
  number: 1e9,
};

describe("strings of a JSON text", () => {
  it("stay as they are when they are short, however the text is cut", () => {
    const texts = [JSON.stringify(tricky), JSON.stringify(tricky).replaceAll("🍏", "\\ud83c\\udf4f")];
    for (const text of texts) for (let size = 1; size < 40; size += 1) expect(shorten(text, size, 10_000)).toBe(text);
  });

  it("lose their end when they are long, and say how much of it", () => {
    const long = { a: "x".repeat(5_000), b: "short", c: ["y".repeat(3_000)] };
    expect(JSON.parse(shorten(JSON.stringify(long), 100, 1_000))).toEqual({
      a: `${"x".repeat(1_094)}\n[3906 more bytes were left out]`,
      b: "short",
      c: [expect.stringMatching(/^y{1000,1100}\n\[\d+ more bytes were left out\]$/)],
    });
  });

  it("are cut between two words: half a secret would not be known for one", () => {
    const words = ["swordfish-1234 ", "swordfish-1234\n"];
    const kept = words.map((word) => {
      const short = JSON.parse(shorten(JSON.stringify({ a: word.repeat(400) }), 100, 1_000)) as { a: string };
      return short.a.replaceAll(word, "").replace(/\d+/, "some");
    });
    expect(kept).toEqual(Array(2).fill("\n[some more bytes were left out]"));
  });

  const characters = ["a", "ü", "漢", "🍏", "\n", '"', "\\", "\u0001", "\uD83D"];
  it.each(characters)("are cut between two characters, also when they are made of %j", (character) => {
    const whole = character.repeat(400);
    for (const escaped of [JSON.stringify(whole), asEscapes(whole)])
      for (let size = 12; size < 60; size += 1) {
        const [, said = "", left = ""] =
          /^(.*)\n\[(\d+) more bytes were left out\]$/s.exec(JSON.parse(shorten(escaped, size, 200))) ?? [];
        expect({ said, isSomeLeft: Number(left) > 0 }).toEqual({
          said: character.repeat(said.length / character.length),
          isSomeLeft: true,
        });
        expect(said.length).toBeGreaterThan(0);
      }
  });

  it("stay short in memory, however long they were", () => {
    const shortener = createStringShortener({ maxBytes: 1_000 });
    shortener.push(Buffer.from('{"output":"'));
    for (let piece = 0; piece < 1_000; piece += 1) shortener.push(Buffer.alloc(10_000, "z"));
    shortener.push(Buffer.from('","ok":true}'));
    const text = shortener.take();
    expect({ isShort: text.byteLength < 12_000, ok: JSON.parse(text.toString("utf8")).ok }).toEqual({
      isShort: true,
      ok: true,
    });
  });
});

/** Every character as `\uXXXX`. */
function asEscapes(text: string): string {
  const escapes = Array.from({ length: text.length }, (_, index) =>
    text.charCodeAt(index).toString(16).padStart(4, "0"),
  );
  return `"${escapes.map((code) => `\\u${code}`).join("")}"`;
}
