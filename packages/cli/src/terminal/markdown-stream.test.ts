import { describe, expect, it } from "vitest";
import { chooseGlyphs } from "./glyphs.ts";
import { createTerminalStyle } from "./look.ts";
import { createMarkdownStream } from "./markdown-stream.ts";

/** Styles written as words, to keep expectations readable. */
const looks: Readonly<Record<string, string>> = {
  1: "<b>",
  2: "<dim>",
  3: "<i>",
  23: "</i>",
  4: "<u>",
  22: "</>",
  24: "</u>",
  36: "<code>",
  39: "</code>",
};

function render(
  pieces: readonly string[],
  { colours = true, columns }: { colours?: boolean; columns?: () => number } = {},
): readonly string[] {
  const stream = createMarkdownStream({ style: createTerminalStyle(colours), glyphs: chooseGlyphs(true), columns });
  const shown = [...pieces.map((piece) => stream.push(piece)), stream.end()];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for.
  return shown.map((text) => text.replace(/\x1b\[(\d+)m/g, (_, code: string) => looks[code] ?? code));
}

const whole = (text: string) => render([text]).join("");

describe("createMarkdownStream", () => {
  it.each([
    ["bold", "a **very bold** word", "a <b>very bold</> word"],
    ["code", "run `npm test` now", "run <code>npm test</code> now"],
    ["code in bold", "**use `x`**", "<b>use </><b><code>x</code></>"],
    ["stars in code", "`a ** b` and **c**", "<code>a ** b</code> and <b>c</>"],
    ["code with a backtick in it", "`` a`b ``", "<code> a`b </code>"],
    ["a title", "# One\ntext", "<b><u>One</u></>\ntext"],
    ["a heading", "### Three `x`", "<b>Three </><b><code>x</code></>"],
    ["a list", "- one\n  * two\n10. ten", "<dim>•</> one\n  <dim>•</> two\n<dim>10.</> ten"],
    ["a quotation", "> said", "<dim>│</> said"],
    [
      "a fence",
      "```ts\n# not a heading\n**x**\n```\n**y**",
      "<dim>```ts</>\n<code># not a heading</code>\n<code>**x**</code>\n<dim>```</>\n<b>y</>",
    ],
    ["a fence in a longer fence", "````\n```\n````\n- x", "<dim>````</>\n<code>```</code>\n<dim>````</>\n<dim>•</> x"],
    [
      "ux 3: emphasis",
      "an *oblique* and _another one_, not snake_case_names",
      "an <i>oblique</i> and <i>another one</i>, not snake_case_names",
    ],
    ["ux 3: bold in emphasis", "*a **b** c*", "<i>a </i><b>b</><i> c</i>"],
    [
      "ux 3: links, with the address where it is not the text",
      "see [the docs](https://a.test/x) and [https://b.test](https://b.test)",
      "see <u>the docs</u><dim> (https://a.test/x)</> and <u>https://b.test</u>",
    ],
    [
      "ux 3: a table with its columns aligned",
      "a\n| Name | `n` |\n|:--|--:|\n| **one** | 1 |\n| three | 300 |\nb",
      "a\n<dim>Name     n</>\none      1\nthree  300\nb",
    ],
    ["what only looks like a table", "| a | b |\nend", "| a | b |\nend"],
  ])("shows %s", (_, text, shown) => {
    expect(whole(text)).toBe(shown);
  });

  it.each([
    "2**10 is 1024, 3**2 is 9",
    "a ** b ** c",
    "an `unclosed backtick",
    "**never closed",
    "#hashtag and #1",
    "-5 degrees, 3.14, * ",
    "snake_case__names__",
    "***",
    "---",
    "[ ] open and [x] done (see below)",
    "a [1] and b[2] (c)",
    "5 * 3 * 2 and _",
  ])("leaves %s alone", (text) => {
    expect(whole(`x\n${text}`).replaceAll(/<[^>]*>/g, "")).toBe(`x\n${text}`);
  });

  it("says the same however the text is cut", () => {
    const text =
      "# T\n\n- **a** `b`\n\n```js\nlet x = `1`;\n```\n1. *x* **y z** 2**3\n> q\n| a | b |\n|--|--|\n| 1 | 2 |\n[l](http://x) _e_ `";
    // Neighbouring pieces of one look differ only in where they are cut.
    const seamless = (shown: string) =>
      shown.replaceAll("</u></><b><u>", "").replaceAll(/<\/code><code>|<\/><(?:b|dim)>/g, "");
    const expected = seamless(whole(text));
    expect(expected).toContain("<b>y z</> 2**3");
    for (let cut = 0; cut <= text.length; cut++)
      expect(seamless(render([text.slice(0, cut), text.slice(cut)]).join(""))).toBe(expected);
    expect(seamless(render([...text]).join(""))).toBe(expected);
  });

  it("holds back nothing but a marker whose meaning is not known yet", () => {
    expect(render(["plain ", "words, then **bo", "ld** a", "nd `co", "de` end"])).toEqual([
      "plain ",
      "words, then ",
      "<b>bold</> a",
      "nd ",
      "<code>code</code> end",
      "",
    ]);
  });

  it("gives up on a marker that stays open for long", () => {
    const [first, second] = render(["**a", "b".repeat(300)]);
    expect([first, second]).toEqual(["", `**a${"b".repeat(300)}`]);
  });

  it("changes nothing without colours", () => {
    const text = "# T\n- **a** `b`\n```\nx\n```";
    expect(render([...text], { colours: false }).join("")).toBe(text);
  });

  it.each([true, false])("ux 3: breaks lines between words, below their first word (colours: %s)", (colours) => {
    const text =
      "Some words that go on for more than a line.\n- an item that is long\n> a quotation that is long\n```\ncode that is never broken at all\n```\n";
    const shown = render([...text], { colours, columns: () => 20 }).join("");
    expect(shown.replaceAll(/<[^>]*>/g, "").split("\n")).toEqual([
      "Some words that go",
      "on for more than a",
      "line.",
      `${colours ? "•" : "-"} an item that is`,
      "  long",
      `${colours ? "│" : ">"} a quotation that`,
      `${colours ? "│" : ">"} is long`,
      "```",
      "code that is never broken at all",
      "```",
      "",
    ]);
  });

  it("ux 3: leaves a word that is wider than a line, and a table that is wider, as they are", () => {
    const text = `see https://example.test/${"x".repeat(30)} now\n| a | b |\n|--|--|\n| some words | some more words |\n`;
    expect(render([text], { columns: () => 20 }).join("")).toBe(
      `see https://example.test/${"x".repeat(30)}\nnow\n| a | b |\n|--|--|\n| some words | some more words |\n`,
    );
  });
});
