import { expect, it } from "vitest";
import { fromKept, toKept } from "./kept-text.ts";

it.each(["", "plain ☃", "a\0b", "\0\0", "\ufdd0", "\ufdd00\0\ufdd01"])(
  "keeps %j without U+0000, and gives it back",
  (text) => {
    expect({ hasNul: toKept(text).includes("\0"), back: fromKept(toKept(text)) }).toEqual({
      hasNul: false,
      back: text,
    });
  },
);
