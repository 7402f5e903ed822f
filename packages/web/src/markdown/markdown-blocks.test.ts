import { describe, expect, it } from "vitest";
import { canWait, isClosedFence, type MarkdownText, readMarkdown } from "./markdown-blocks.ts";

const sample = [
  "# Title",
  "",
  "A paragraph with **bold**, `code` and [a link](https://example.org).",
  "It goes on.",
  "",
  "Setext",
  "------",
  "",
  "1. one",
  "2. two",
  "",
  "   still two",
  "",
  "   - nested",
  "3. three",
  "",
  "| a | b |",
  "|---|--:|",
  "| 1 | 2 |",
  "",
  "> quoted",
  "lazily",
  "",
  "```ts",
  "const a = 1;",
  "",
  "# no title",
  "```",
  "",
  "<details>",
  "text",
  "</details>",
  "",
  "---",
  "",
  "    indented code",
  "",
  "    more of it",
  "",
  "~~~",
  "``` is content",
  "~~~",
  "The end.",
].join("\n");

function inPieces(text: string, size: number): MarkdownText {
  let read = readMarkdown("");
  for (let end = size; end < text.length + size; end += size) read = readMarkdown(text.slice(0, end), read);
  return read;
}

describe("readMarkdown", () => {
  it("cuts Markdown into its blocks", () => {
    expect(readMarkdown(sample).blocks.map((block) => block.token.type)).toEqual([
      "heading",
      "paragraph",
      "heading",
      "list",
      "table",
      "blockquote",
      "code",
      "html",
      "hr",
      "code",
      "code",
      "paragraph",
    ]);
  });

  it("reads the same however the text was cut into pieces", () => {
    const whole = readMarkdown(sample);
    for (let size = 1; size <= 40; size += 1) expect(inPieces(sample, size)).toEqual(whole);
  });

  it("keeps the identity of finished blocks while the last one grows", () => {
    const before = readMarkdown("One.\n\nTwo.\n\nThr");
    const after = readMarkdown("One.\n\nTwo.\n\nThree.\n\nFour", before);
    expect(after.blocks[0]).toBe(before.blocks[0]);
    expect(after.blocks[1]).toBe(before.blocks[1]);
    expect(after.blocks.map((block) => block.token.raw.trim())).toEqual(["One.", "Two.", "Three.", "Four"]);
  });

  it("starts over when the text is another", () => {
    expect(readMarkdown("Other", readMarkdown("One.\n\nTwo.")).blocks.map((block) => block.token.raw)).toEqual([
      "Other",
    ]);
  });

  it("takes Windows line ends, cut in the middle too", () => {
    const text = "One.\r\n\r\nTwo.\r\n";
    expect(inPieces(text, 1).blocks.map((block) => block.token.raw)).toEqual(["One.", "Two.\n"]);
  });

  it("reads a long text in many small pieces in linear time", () => {
    const text = `${sample}\n\n`.repeat(60);
    const started = performance.now();
    inPieces(text, 10);
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});

describe("isClosedFence", () => {
  it("distinguishes a fence with its closing line from one that is still coming", () => {
    expect(["```ts\na\n```", "```\n```\n", "~~~~\na\n~~~~~", "    indented"].map(isClosedFence)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(["```", "```ts\na", "```ts\na\n``", "~~~\na\n```", "````\na\n```"].map(isClosedFence)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("Markdown that is written to be too much", () => {
  it("is shown as it is written: quotes within quotes", () => {
    const text = `${">".repeat(20_000)}a`;
    expect(readMarkdown(text).blocks).toEqual([{ start: 0, token: { type: "plain", raw: text } }]);
  });

  it.each([
    ["emphasis within emphasis", `${"*".repeat(20_000)}a${"*".repeat(20_000)}`],
    ["emphasis that does not end", "*a ".repeat(3_000) + "b* ".repeat(3_000).trim()],
    ["marks of two kinds", "_a__b*c**".repeat(4_000)],
    ["what may be an address", "a-_.".repeat(15_000)],
  ])("is a paragraph without marks: %s", (_name, text) => {
    const tokens = [{ type: "text", raw: text, text, escaped: false }];
    expect(readMarkdown(text).blocks).toEqual([{ start: 0, token: { type: "paragraph", raw: text, text, tokens } }]);
  });

  it("is cut where it is long, but not within a fence or a short table", () => {
    const list = "- an item of a list\n".repeat(1_000);
    const fence = `\`\`\`ts\n${"const a = 1;\n\n# no title\n".repeat(1_000)}\`\`\`\n`;
    const table = `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(1_000)}`;
    const { blocks } = readMarkdown(`${list}\n${fence}\n${table}\nThe end.`);
    expect(blocks.map(({ token }) => token.type)).toEqual([...Array(5).fill("list"), "code", "table", "paragraph"]);
    expect(blocks[5]?.token).toEqual({
      type: "code",
      raw: fence,
      lang: "ts",
      text: "const a = 1;\n\n# no title\n".repeat(1_000).trimEnd(),
    });
  });

  it("waits with reading a long last block until it has grown by a part of itself", () => {
    const text = `Words.\n\n\`\`\`\n${"a line\n".repeat(3_000)}`;
    const before = readMarkdown(text);
    expect({
      little: canWait(`${text}more`, before),
      enough: canWait(text + "more".repeat(200), before),
      another: canWait(`other${text}`, before),
      short: canWait("a, b", readMarkdown("a")),
    }).toEqual({ little: true, enough: false, another: false, short: false });
  });

  it("does not take what came before it along", () => {
    const before = readMarkdown("Some **words**.\n\n>");
    const { blocks } = readMarkdown(`Some **words**.\n\n${">".repeat(20_000)}`, before);
    expect(blocks.map(({ token }) => token.type)).toEqual(["paragraph", "plain"]);
  });
});
