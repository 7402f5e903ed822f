import { describe, expect, it } from "vitest";
import type { Frame } from "./frame.ts";
import { type FrameReaderState, finishFrames, readFrames } from "./frame-reader.ts";

function framesOf(lines: readonly string[], maxLength = 1000): readonly Frame[] {
  let state: FrameReaderState;
  const frames = lines.flatMap((line) => {
    const [next, more] = readFrames(state, line, maxLength);
    state = next;
    return more;
  });
  return [...frames, ...finishFrames(state)];
}

const object = (value: Record<string, unknown>, sentinel = false): Frame => ({ kind: "object", value, sentinel });
const noise = (text: string): Frame => ({ kind: "noise", text });
const malformed = (text: string, reason: string): Frame => ({ kind: "malformed", text, reason });

describe("frames on lines", () => {
  it.each([
    ["an object", '{"a":1}', [object({ a: 1 })]],
    ["two objects", '{"a":1} {"b":"}{"}', [object({ a: 1 }), object({ b: "}{" })]],
    ["three objects without a space", '{"a":{}}{"b":"\\"{"}{}', [object({ a: {} }), object({ b: '"{' }), object({})]],
    ["an object and words", '{"a":1} done', [object({ a: 1 }), noise("done")]],
    ["an object and half of another", '{"a":1}{"b":', [object({ a: 1 }), malformed('{"b":', "not valid JSON")]],
    ["a marked object", 'stdout: {"a":1}', [object({ a: 1 })]],
    ["a marked object without a colon", 'stdout{"a":1}', [object({ a: 1 })]],
    ["an object marked as from stderr", 'stderr: {"a":1}', [object({ a: 1 })]],
    ["an object behind colours and cursor movement", '\u001b[2K\u001b[G{"a":1}\u001b[0m', [object({ a: 1 })]],
    ["an object behind NULs", '\0\0{"a":1}', [object({ a: 1 })]],
    ["a banner", "Using worktree: /somewhere", [noise("Using worktree: /somewhere")]],
    ["a spinner", "\u001b[2K\u001b[GLoading…", [noise("Loading…")]],
    ["only colours", "\u001b[2K\u001b[0m", []],
    ["only spaces", "   ", []],
    ["an array", "[1,2]", [noise("[1,2]")]],
    ["null", "null", [noise("null")]],
    ["a broken object", "{invalid", [malformed("{invalid", "not valid JSON")]],
    ["a text that names a sentinel", '{"a":"__JSON_START__"}', [object({ a: "__JSON_START__" })]],
  ])("are read from %s", (_name, line, frames) => {
    expect(framesOf([line])).toEqual(frames);
  });

  it("are refused when they are nested so deep that they could not be written again", () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(framesOf([deep])).toEqual([malformed(deep, "nested deeper than 2000 levels")]);
  });
});

describe("frames between sentinels", () => {
  it.each([
    ["one line", ["__JSON_START__", '{"a":1}', "__JSON_END__"], [object({ a: 1 }, true)]],
    ["many lines", ["__JSON_START__", "{", '  "a": 1', "}", "__JSON_END__"], [object({ a: 1 }, true)]],
    ["the markers' own line", ['__JSON_START__{"a":1}__JSON_END__'], [object({ a: 1 }, true)]],
    [
      "two frames on a line",
      ['__JSON_START__{"a":1}__JSON_END____JSON_START__{"b":2}__JSON_END__'],
      [object({ a: 1 }, true), object({ b: 2 }, true)],
    ],
    [
      "lines around them",
      ["hello", "__JSON_START__", '{"a":1}', "__JSON_END__", '{"b":2}'],
      [noise("hello"), object({ a: 1 }, true), object({ b: 2 })],
    ],
  ])("are read from %s", (_name, lines, frames) => {
    expect(framesOf(lines)).toEqual(frames);
  });

  it.each([
    ["never close", ["__JSON_START__", '{"a":1}'], [malformed('\n\n{"a":1}', "__JSON_START__ without __JSON_END__")]],
    ["are empty", ["__JSON_START__", "__JSON_END__"], [malformed("\n\n", "an empty sentinel frame")]],
    ["hold no JSON", ["__JSON_START__", "{oops", "__JSON_END__"], [malformed("{oops", "not valid JSON")]],
  ])("are malformed when they %s", (_name, lines, frames) => {
    expect(framesOf(lines)).toEqual(frames);
  });

  it("are malformed past the cap, and reading goes on behind it", () => {
    expect(framesOf(["__JSON_START__", "x".repeat(20), '{"a":1}'], 10)).toEqual([
      malformed("", "a sentinel frame longer than 10 characters"),
      object({ a: 1 }),
    ]);
  });
});

it("takes a long line that only begins like a marked one for noise", () => {
  const line = `stdout${"\t".repeat(300_000)}x`;
  expect(framesOf([line], line.length)).toEqual([{ kind: "noise", text: line }]);
});
