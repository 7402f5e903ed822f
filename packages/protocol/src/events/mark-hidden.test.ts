import { expect, it } from "vitest";
import { markHidden } from "./mark-hidden.ts";

it("writes out what a reader could not see, and leaves all else as it is", () => {
  expect({
    direction: markHidden("rm \u202e txt.exe"),
    control: markHidden("a\x1b[2Kb\rc"),
    zeroWidth: markHidden("pay\u200bpal \u{e0041}"),
    plain: markHidden("naïve\t日本語 😀\nline"),
  }).toEqual({
    direction: "rm <U+202E> txt.exe",
    control: "a<U+001B>[2Kb<U+000D>c",
    zeroWidth: "pay<U+200B>pal <U+E0041>",
    plain: "naïve\t日本語 😀\nline",
  });
});

it("writes out what draws over other text, what no font draws, and letters that only look Latin", () => {
  const written = {
    stack: [`e${"\u0301".repeat(6)}`, `e${"\u0301".repeat(4)}<U+0301><U+0301>`],
    onNothing: ["rm -\u0338r \u20e5a", "rm -<U+0338>r <U+20E5>a"],
    onNewLine: ["a\n\u0336b", "a\n<U+0336>b"],
    private: ["a\ue000\u{10ffff}\u0378", "a<U+E000><U+10FFFF><U+0378>"],
    blank: ["a\u{1d159}", "a<U+1D159>"],
    program: ["g\u0456t push", "g<U+0456>t push"],
    address: ["https://p\u0430ypal.example", "https://p<U+0430>ypal.example"],
    greek: ["n\u03bfde", "n<U+03BF>de"],
    wide: ["r\uff4d", "r<U+FF4D>"],
  };
  const plain = [
    "привет, мир",
    "API-ключ",
    "Δx = 2πr",
    "ελληνικά",
    "Việt Nam",
    "हिन्दी",
    "שָׁלוֹם",
    "e\u0301a\u0308",
    "ＡＢＣ",
  ];
  expect(Object.values(written).map(([text = ""]) => markHidden(text))).toEqual(
    Object.values(written).map(([, marked]) => marked),
  );
  expect(plain.map(markHidden)).toEqual(plain);
});
