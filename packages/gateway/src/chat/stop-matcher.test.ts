import { describe, expect, it } from "vitest";
import { createStopMatcher } from "./stop-matcher.ts";

/** What is shown of a text that arrives in these pieces, up to the first stop sequence. */
function read(sequences: readonly string[], pieces: readonly string[]) {
  const matcher = createStopMatcher(sequences);
  let text = "";
  for (const piece of pieces) {
    const matched = matcher.push(piece);
    text += matched.text;
    if (matched.sequence !== undefined) return { text, sequence: matched.sequence };
  }
  return { text: text + matcher.flush(), sequence: undefined };
}

/** Every way to cut a text into pieces. */
function* cuts(text: string): Generator<readonly string[]> {
  if (text === "") yield [];
  for (let end = 1; end <= text.length; end += 1)
    for (const rest of cuts(text.slice(end))) yield [text.slice(0, end), ...rest];
}

describe("looking for stop sequences", () => {
  it.each([
    [["STOP"], "one STOP two", { text: "one ", sequence: "STOP" }],
    [["STOP"], "one STO two", { text: "one STO two", sequence: undefined }],
    [["STOP"], "STOP", { text: "", sequence: "STOP" }],
    [["aab"], "aaaab", { text: "aa", sequence: "aab" }],
    [["abc", "bc"], "xabcx", { text: "x", sequence: "abc" }],
    [["abcd", "bc"], "xabcdx", { text: "xa", sequence: "bc" }],
    [["\n\n", "END"], "a\nb\n\nc", { text: "a\nb", sequence: "\n\n" }],
    [[], "anything", { text: "anything", sequence: undefined }],
  ])("finds the first of %j in %j, however it is cut into pieces", (sequences, text, expected) => {
    const found = [...cuts(text)].map((pieces) => JSON.stringify(read(sequences, pieces)));
    expect([...new Set(found)]).toEqual([JSON.stringify(expected)]);
  });

  it("holds back no more than what may be the beginning of a sequence", () => {
    const matcher = createStopMatcher(["<end>"]);
    expect(["a", "b<", "e", "x", "<"].map((piece) => matcher.push(piece).text)).toEqual(["a", "b", "", "<ex", ""]);
    expect(matcher.flush()).toBe("<");
  });
});
