import { describe, expect, it } from "vitest";
import { ageText } from "./amount-text.ts";
import { chooseGlyphs } from "./glyphs.ts";
import { createTerminalStyle } from "./look.ts";
import { displayWidth } from "./shorten.ts";
import { tableLines } from "./table-lines.ts";

const look = { style: createTerminalStyle(false), glyphs: chooseGlyphs(true) };
const head = [
  { title: "id" },
  { title: "count", align: "right" },
  { title: "path", cut: "middle" },
  { title: "title", cut: "end" },
] as const;

describe("tableLines", () => {
  it("is as narrow as it can be, and leaves out columns in which nothing stands", () => {
    const rows = [
      ["a", "1", "", "Fix\nit"],
      ["bb", "20", "", ""],
    ];
    expect(tableLines(head, rows, { ...look, columns: 80, isTty: true })).toEqual([
      "id  count  title",
      "a       1  Fix it",
      "bb     20",
    ]);
  });

  it("cuts what may be cut, the widest first, and never an id", () => {
    const rows = [["0123456789", "7", "/a/rather/long/path/to/somewhere", "日本語の題名 with more words behind it"]];
    const lines = tableLines(head, rows, { ...look, columns: 50, isTty: true });
    expect(lines).toEqual([
      "id          count  path            title",
      "0123456789      7  /a/rath…ewhere  日本語の題名 …",
    ]);
    for (const line of lines) expect(displayWidth(line)).toBeLessThan(50);
  });
});

it("leaves minor columns out where not everything has room, and only there", () => {
  const columns = [{ title: "id" }, { title: "lane", isMinor: true }, { title: "title", cut: "end" }] as const;
  const rows = [["1", "sim", "A title of some words"]];
  const at = (columnCount: number) => tableLines(columns, rows, { ...look, columns: columnCount, isTty: true });
  expect([at(32), at(24)]).toEqual([
    ["id  lane  title", "1   sim   A title of some words"],
    ["id  title", "1   A title of some wo…"],
  ]);
});

it("gives a program every cell whole, with tabs between and every column", () => {
  const rows = [["0123456789", "7", "", "a title with many words, which no terminal of this width has room for"]];
  expect(tableLines(head, rows, { ...look, columns: 20, isTty: false })).toEqual([
    "id\tcount\tpath\ttitle",
    "0123456789\t7\t\ta title with many words, which no terminal of this width has room for",
  ]);
});

describe("ageText", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  it.each([
    ["2026-11-15T11:59:30Z", "just now"],
    ["2026-11-15T11:15:00Z", "45m ago"],
    ["2026-11-15T09:00:00Z", "3h ago"],
    ["2026-11-09T09:00:00Z", "6d ago"],
    ["2026-10-01T09:00:00Z", "2026-10-01"],
  ])("says of %s: %s", (at, text) => {
    expect(ageText(Date.parse(at), now)).toBe(text);
  });

  it("says nothing of a time that is not known", () => {
    expect(ageText(undefined, now)).toBe("");
  });
});
