import { expect, it } from "vitest";
import { toReadablePage } from "./readable-page.ts";

const URL_OF_PAGE = "https://example.test/docs/page";

const markdownOf = (html: string): string => toReadablePage(html, URL_OF_PAGE).markdown;

it("resolves links against the page's own base", () => {
  const html = `<base href="/other/"><a href="x?a=1&amp;b">in</a> <a href=y>bare</a> <a href='mailto:a@b.test'>mail</a>`;
  expect(markdownOf(html)).toBe(
    "[in](https://example.test/other/x?a=1&b) [bare](https://example.test/other/y) [mail](mailto:a@b.test)",
  );
});

it("leaves out what is not for reading, even when it is badly closed", () => {
  expect(markdownOf("<p>a</p><SCRIPT>var x = '<p>no</p>'</SCRIPT ><style>p{}</style><p>b</p>")).toBe("a\n\nb");
  expect(markdownOf("<p>before</p><svg><p>drawn</p>")).toContain("before");
});

it("takes a title with line breaks and entities, or none", () => {
  expect(toReadablePage("<title lang=en>\n A_b &lt;c&gt;\n d </title>", URL_OF_PAGE).title).toBe("A_b <c> d");
  expect(toReadablePage("<p>text</p>", URL_OF_PAGE)).toEqual({ title: "", markdown: "text", isCut: false });
});

it("does not cut a list, a table or a program into pieces", () => {
  const items = Array.from({ length: 2_000 }, (_, index) => `<li><p>item ${index}</p></li>`).join("");
  const lines = markdownOf(`<ul>${items}</ul>`)
    .split("\n")
    .filter((line) => line.trim() !== "");
  expect(lines.map((line) => line.trim())).toEqual(Array.from({ length: 2_000 }, (_, index) => `* item ${index}`));
});

it.each([
  ["tags that never end", "<a ".repeat(200_000)],
  ["scripts that never end", "<script>".repeat(100_000)],
  ["nothing but brackets", "<".repeat(500_000)],
  ["paragraphs without number", "<p>word</p>".repeat(50_000)],
])("is through in seconds with %s", (_, html) => {
  const start = performance.now();
  markdownOf(html);
  expect(performance.now() - start).toBeLessThan(15_000);
});
