import fc from "fast-check";
import { expect, it } from "vitest";
import { encodingOf } from "./text-encodings.ts";

const names = [
  ...["utf8", "UTF-8", "utf8bom", "latin1", "iso-8859-1", "iso88592", "windows1252", "cp1251", "koi8-r", "macroman"],
  ...["utf16le", "UTF-16BE", "ucs2", "shift_jis", "gbk", "ascii"],
];

it.each(names)(
  "%s gives the same bytes again for all that it decodes, and the same text for all that it encodes",
  (name) => {
    const encoding = encodingOf(name);
    if (encoding === undefined) throw new Error(`${name} is not known`);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = encoding.decode(Buffer.from(bytes));
        if (text !== undefined) expect(encoding.encode(text)).toEqual(Buffer.from(bytes));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 30 }), (text) => {
        if (!text.isWellFormed()) return;
        const bytes = encoding.encode(text);
        if (bytes !== undefined) expect(encoding.decode(bytes)).toBe(text);
      }),
    );
  },
);

it("an encoding that nobody knows is none", () => {
  expect([encodingOf("klingon"), encodingOf(""), encodingOf("utf-9")]).toEqual([undefined, undefined, undefined]);
});
