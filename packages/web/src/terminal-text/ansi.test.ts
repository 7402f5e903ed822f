import { describe, expect, it } from "vitest";
import { type AnsiLine, parseAnsi } from "./ansi.ts";

const ESC = "\x1b";

function plain(lines: readonly AnsiLine[]): readonly string[] {
  return lines.map((line) => line.map((span) => span.text).join(""));
}

describe("parseAnsi", () => {
  it("gives text without sequences as it is, line by line", () => {
    expect(parseAnsi("one\n\ntwo\n")).toEqual([[{ text: "one", style: {} }], [], [{ text: "two", style: {} }]]);
  });

  it("turns colours and weights into styles until they are reset", () => {
    expect(parseAnsi(`${ESC}[1;31mred${ESC}[22m thin${ESC}[0m none`)).toEqual([
      [
        { text: "red", style: { bold: true, color: "var(--ansi-1)" } },
        { text: " thin", style: { color: "var(--ansi-1)" } },
        { text: " none", style: {} },
      ],
    ]);
  });

  it("knows bright, palette and true colours, in front and behind", () => {
    const [line] = parseAnsi(
      `${ESC}[92ma${ESC}[38;5;208mb${ESC}[48;2;1;2;300mc${ESC}[0;104md${ESC}[38;5;250me${ESC}[38;5;3mf`,
    );
    expect(line?.map((span) => span.style)).toEqual([
      { color: "var(--ansi-10)" },
      { color: "rgb(255 135 0)" },
      { color: "rgb(255 135 0)", background: "rgb(1 2 255)" },
      { background: "var(--ansi-12)" },
      { background: "var(--ansi-12)", color: "rgb(188 188 188)" },
      { background: "var(--ansi-12)", color: "var(--ansi-3)" },
    ]);
  });

  it("goes on with a style on the next line", () => {
    expect(parseAnsi(`${ESC}[3ma\nb`)).toEqual([
      [{ text: "a", style: { italic: true } }],
      [{ text: "b", style: { italic: true } }],
    ]);
  });

  it("shows a progress bar as the one line it was, and keeps what a shorter text left over", () => {
    expect(plain(parseAnsi("10 %\r50 %\r100 %\nlonger\rab\n"))).toEqual(["100 %", "abnger"]);
  });

  it("keeps the styles of what was not overwritten", () => {
    expect(parseAnsi(`${ESC}[31mabcdef${ESC}[0m\r${ESC}[32mXY`)).toEqual([
      [
        { text: "XY", style: { color: "var(--ansi-2)" } },
        { text: "cdef", style: { color: "var(--ansi-1)" } },
      ],
    ]);
  });

  it("erases, moves within the line and steps back", () => {
    expect(plain(parseAnsi(`abcdef\r${ESC}[Kxy`))).toEqual(["xy"]);
    expect(plain(parseAnsi(`abcdef${ESC}[2K${ESC}[1Gxy`))).toEqual(["xy"]);
    expect(plain(parseAnsi(`abcdef${ESC}[3D${ESC}[1K!`))).toEqual(["   !ef"]);
    expect(plain(parseAnsi(`ab\b\bX${ESC}[2CY`))).toEqual(["Xb Y"]);
  });

  it("treats a Windows line end as one line end", () => {
    expect(plain(parseAnsi("a\r\nb\r\n"))).toEqual(["a", "b"]);
  });

  it("leaves out titles, links, cursor games and other control characters, cut ones too", () => {
    const text = `${ESC}]0;title\x07a${ESC}]8;;http://x${ESC}\\b${ESC}]8;;${ESC}\\${ESC}[2J${ESC}[5A${ESC}(B${ESC}7c\x00\x07\x7fd${ESC}[3`;
    expect(plain(parseAnsi(text))).toEqual(["abcd"]);
    expect(plain(parseAnsi(`a${ESC}`))).toEqual(["a"]);
  });

  it("keeps the newest lines and the beginning of an endless one", () => {
    const many = Array.from({ length: 100 }, (_, index) => `${index}`).join("\n");
    expect(plain(parseAnsi(many, { maxLines: 3 }))).toEqual(["97", "98", "99"]);
    expect(plain(parseAnsi("x".repeat(100), { maxColumns: 10 }))).toEqual(["x".repeat(10)]);
  });

  it("reads twenty thousand returns without taking longer for each", () => {
    const started = performance.now();
    parseAnsi(`${ESC}[32m#${ESC}[0m\r`.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
