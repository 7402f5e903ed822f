import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { fingerprint } from "../../calls/fingerprint.ts";

/** What the index of conversations was written with, text by text. */
function kept(texts: readonly string[]): string {
  const digest = createHash("sha256");
  for (const text of texts) digest.update(`${text.length}:`).update(text);
  return digest.digest("base64url");
}

it("gives lists of any length the digests that are kept on disk", () => {
  const long = "ä🔑 and so on ".repeat(10_000);
  const lists = [
    [],
    [""],
    ["user", "Hi"],
    ["ends in half a key \ud83d", "\udd11 begins with the other"],
    [long],
    [long, "Hi", long, ""],
  ];
  expect(lists.map(fingerprint)).toEqual(lists.map(kept));
});

it("tells lists apart that read the same when they are joined", () => {
  const lists = [["ab", "c"], ["a", "bc"], ["abc"], ["1:a"], ["a"]];
  expect(new Set(lists.map(fingerprint)).size).toBe(lists.length);
});
