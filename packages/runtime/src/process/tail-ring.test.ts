import { describe, expect, it } from "vitest";
import { TailRing } from "./tail-ring.ts";

const tailOf = (maxBytes: number, ...pieces: string[]): string => {
  const ring = new TailRing(maxBytes);
  for (const piece of pieces) ring.push(Buffer.from(piece));
  return ring.text();
};

describe("the tail of a stream", () => {
  it("is everything while there is little", () => {
    expect([tailOf(8), tailOf(8, "ab", "cd")]).toEqual(["", "abcd"]);
  });

  it("is the last bytes when there is much, in pieces or in one", () => {
    expect([tailOf(4, "abc", "def", "gh"), tailOf(4, "abcdefgh")]).toEqual(["efgh", "efgh"]);
  });

  it("does not begin with half a character", () => {
    expect([tailOf(4, "xé€"), tailOf(3, "😀ab")]).toEqual(["€", "ab"]);
  });
});
