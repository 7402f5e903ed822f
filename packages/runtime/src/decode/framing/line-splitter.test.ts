import { describe, expect, it } from "vitest";
import { createLineSplitter, linesOf as linesOfRun } from "./line-splitter.ts";

function linesOf(chunks: readonly (string | Uint8Array)[], maxLineBytes?: number): readonly string[] {
  const splitter = createLineSplitter(maxLineBytes === undefined ? {} : { maxLineBytes });
  const lines = chunks.flatMap((chunk) => splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk).lines);
  return [...lines, ...splitter.end().lines];
}

describe("splitting bytes into lines", () => {
  it.each([
    ["lines and a last one without a newline", ["a\nb\nc"], ["a", "b", "c"]],
    ["CRLF, and blank lines left out", ["a\r\n\r\n\nb\r\n"], ["a", "b"]],
    ["a byte order mark", ["\uFEFFa\nb"], ["a", "b"]],
    ["a byte order mark that is content", ["a\n\uFEFFb"], ["a", "\uFEFFb"]],
    ["a lone CR as content", ["a\rb\n"], ["a\rb"]],
    ["U+2028 and U+2029 as content", ["a\u2028b\u2029c\n"], ["a\u2028b\u2029c"]],
    ["a line over several chunks", ["a", "b", "c\nd", "\n"], ["abc", "d"]],
    ["nothing", [], []],
  ] as const)("gives %s", (_name, chunks, lines) => {
    expect(linesOf(chunks)).toEqual(lines);
  });

  it("takes one CR off each line, also of lines that were left together", () => {
    const splitter = createLineSplitter({ keepsRuns: true });
    const runs = ["a\r\r\nb\r\r\n", "c\r\r\n", "\r\n", "d\r", "\r\n"].flatMap(
      (chunk) => splitter.push(Buffer.from(chunk)).lines,
    );
    expect(runs.flatMap(linesOfRun)).toEqual(["a\r", "b\r", "c\r", "d\r"]);
  });

  it("keeps a character that is cut at any byte", () => {
    const bytes = Buffer.from("Hi 😀\nÄ…中\n");
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect(linesOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(["Hi 😀", "Ä…中"]);
  });

  it("replaces what is no UTF-8 and goes on", () => {
    expect(linesOf([Buffer.from([0x61, 0xff, 0x62, 0x0a, 0x63, 0x0a])])).toEqual(["a\uFFFDb", "c"]);
  });

  it("does not depend on a chunk that its reader uses again", () => {
    const splitter = createLineSplitter();
    const chunk = Buffer.from("ab\ncd");
    splitter.push(chunk);
    chunk.fill(0x78);
    const next = Buffer.from("e");
    splitter.push(next);
    next.fill(0x78);
    expect([...splitter.push(Buffer.from("f\n")).lines]).toEqual(["cdef"]);
  });

  it.each([
    ["in one chunk", ["ok\nlonger\nlost\n"]],
    ["over two chunks", ["ok\nlon", "ger\nlost\n"]],
    ["without an end", ["ok\n", "lon", "ger"]],
  ])("refuses a line over the cap %s and keeps what came before", (_name, chunks) => {
    const splitter = createLineSplitter({ maxLineBytes: 5 });
    const batches = chunks.map((chunk) => splitter.push(Buffer.from(chunk)));
    expect(batches.flatMap(({ lines }) => lines)).toEqual(["ok"]);
    expect(batches.find(({ failure }) => failure !== undefined)?.failure).toMatchObject({
      code: "too-large",
      message: "A line of the agent's output is longer than 5 bytes",
    });
    expect([...splitter.push(Buffer.from("more\n")).lines, ...splitter.end().lines]).toEqual([]);
  });

  it("takes a line of exactly the cap", () => {
    expect(linesOf(["12345\n12345"], 5)).toEqual(["12345", "12345"]);
  });
});
