import { describe, expect, it } from "vitest";
import { decodeLines, summarise } from "../testing/decode-lines.ts";
import {
  asks,
  completed,
  delta,
  final,
  flush,
  init,
  readsFile,
  result,
  retries,
  thinks,
} from "../testing/stream-json-lines.ts";

const search = asks("webSearchRequestQuery", { args: { searchTerm: "caret", toolCallId: "call-1\nfc_1" } });

function segmentsOf(lines: readonly (string | object)[], partial = true): readonly string[] {
  return summarise([init, ...lines], { partial }).segments;
}

describe("text with partial output", () => {
  it.each([
    [
      "deltas, a flush before a tool, deltas, a final flush",
      [delta("draft"), delta(" more"), flush("draft more"), ...readsFile(), delta(" final"), final(" final")],
      ["draft more", " final"],
    ],
    ["repeated tokens", [delta("ha"), delta("ha"), delta("ha"), final("hahaha")], ["hahaha"]],
    ["two equal tokens that the final flush confirms", [delta("ha"), delta("ha"), final("haha")], ["haha"]],
    ["a delta that the final flush denies", [delta("ha"), delta("ha"), final("ha")], ["ha"]],
    [
      "a flush that looks like a delta before a query",
      [delta("Sea"), delta("rch"), delta("Search"), search, ...readsFile(), delta("Done"), final("Done")],
      ["Search", "Done"],
    ],
    [
      "a flush that looks like a delta before a tool",
      [delta("Sea"), delta("rch"), delta("Search"), ...readsFile(), delta("Done"), final("Done")],
      ["Search", "Done"],
    ],
    [
      "a flush that looks like a delta before a retry",
      [delta("hello"), delta("hello"), retries(), delta(" world"), final(" world")],
      ["hello", " world"],
    ],
    [
      "a final flush over everything after a retry",
      [delta("hel"), delta("lo"), delta("hello"), retries(), delta(" world"), final("hello world")],
      ["hello", " world"],
    ],
    [
      "a segment repeated after a retry",
      [delta("hel"), delta("lo"), retries(), delta("hel"), delta("lo wor"), delta("ld"), final("hello world")],
      ["hello world"],
    ],
    [
      "new text after a retry that begins like the old",
      [delta("hello"), retries(), delta("he"), delta("y!"), final("hey!")],
      ["hellohey!"],
    ],
    [
      "a retry in mid-segment whose flush tells the rest",
      [delta("hello"), retries(), delta(" world"), final(" world")],
      ["hello world"],
    ],
    [
      "the same text in two segments",
      [delta("Ok."), flush("Ok."), ...readsFile(), delta("Ok."), final("Ok.")],
      ["Ok.", "Ok."],
    ],
    [
      "the same text in two segments around a query",
      [delta("Ok."), search, ...readsFile(), delta("Ok."), final("Ok.")],
      ["Ok.", "Ok."],
    ],
    [
      "a flush with a tail that no delta brought",
      [delta("Hello"), delta(" world"), flush("Hello world!")],
      ["Hello world!"],
    ],
    ["markup in three deltas", [delta("**"), delta("Heading"), delta("**"), final("**Heading**")], ["**Heading**"]],
    ["an empty delta and then only a flush", [delta(""), final("Hello world")], ["Hello world"]],
    ["a final flush unlike anything shown", [delta("abc"), final("xyz")], ["abcxyz"]],
    ["flushes without any delta, twice the same", [flush("Ok."), ...readsFile(), final("Ok.")], ["Ok.", "Ok."]],
    ["a flush repeated as the final one", [delta("Hi"), flush("Hi"), final("Hi")], ["Hi"]],
    ["whitespace as content", [delta("a"), delta("\n"), delta("\n"), delta("b"), final("a\n\nb")], ["a\n\nb"]],
    [
      "a single delta before a tool, without any flush",
      [delta("OK"), ...readsFile(), delta("!"), final("!")],
      ["OK", "!"],
    ],
    ["thinking inside a segment", [delta("a"), thinks("hm"), delta("b"), final("ab")], ["a", "b"]],
  ] as const)("shows %s once", (_name, lines, segments) => {
    expect(segmentsOf([...lines, result(segments.join(""))])).toEqual(segments);
  });

  it("does not split the text around a call that only completes", () => {
    const failed = completed("call-9", { taskToolCall: { result: { error: { error: "no such model" } } } });
    const lines = [delta("Launch"), failed, delta("ing."), final("Launching."), result("Launching.")];
    expect(segmentsOf(lines)).toEqual(["Launching."]);
  });

  it("keeps repeated tokens around a call that only completes", () => {
    const failed = completed("call-9", { taskToolCall: { result: { error: { error: "no such model" } } } });
    const lines = [delta("ha"), delta("ha"), failed, delta("!"), final("haha!"), result("haha!")];
    expect(segmentsOf(lines)).toEqual(["haha!"]);
  });

  it("shows what was held back when the stream is cut", () => {
    expect(summarise([delta("ha"), delta("ha")]).segments).toEqual(["haha"]);
  });
});

describe("text without partial output", () => {
  it.each([
    ["a flush and a final flush", [flush("one"), ...readsFile(), final("two"), result("onetwo")], ["one", "two"]],
    [
      "a flush that looks like a delta",
      [delta("Searching."), search, ...readsFile(), final("Found."), result("Searching.Found.")],
      ["Searching.", "Found."],
    ],
    [
      "equal segments",
      [flush("a"), ...readsFile(), delta("a"), search, ...readsFile("call-2"), final("a"), result("aaa")],
      ["a", "a", "a"],
    ],
    [
      "a segment that begins like the last one",
      [final("Hello"), final("Hello world"), result("HelloHello world")],
      ["Hello", "Hello world"],
    ],
  ] as const)("shows %s", (_name, lines, segments) => {
    expect(segmentsOf(lines, false)).toEqual(segments);
  });
});

describe("text in either mode", () => {
  it.each([true, false])("comes from the result when nothing else had it (partial: %s)", (partial) => {
    expect(segmentsOf([result("pong")], partial)).toEqual(["pong"]);
  });

  it.each([true, false])("is completed from the result when the final flush is missing (partial: %s)", (partial) => {
    expect(segmentsOf([flush("one"), ...readsFile(), result("onetwo")], partial)).toEqual(["one", "two"]);
  });

  it("ends with the result: whatever follows is ignored", () => {
    expect(segmentsOf([final("done"), result("done"), delta("late"), final("late"), result("late")], false)).toEqual([
      "done",
    ]);
  });

  it("joins the text parts of a message and leaves out the others", () => {
    const content = [{ type: "text", text: "a" }, { type: "image", data: "x" }, { type: "text", text: "b" }, 7, null];
    const line = { type: "assistant", message: { role: "assistant", content } };
    expect(segmentsOf([line, result("ab")], false)).toEqual(["ab"]);
  });

  it("never shows the echo of the prompt", () => {
    const echo = { type: "user", message: { role: "user", content: [{ type: "text", text: "secret prompt" }] } };
    expect(JSON.stringify(decodeLines([init, echo, final("ok"), result("ok")], { partial: false }))).not.toContain(
      "prompt",
    );
  });
});
