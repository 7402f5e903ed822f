import { NodeHtmlMarkdown } from "node-html-markdown";

/** The translator is quadratic, so a page is passed in pieces. */
const PIECE_LENGTH = 32 * 1024;
const MAX_MARKDOWN_LENGTH = 512 * 1024;

export interface ReadablePage {
  readonly title: string;
  readonly markdown: string;
  /** The end of the page was cut. */
  readonly isCut: boolean;
}

/** Converts a page to readable text: no scripts, styles or drawings, absolute links. Can block for seconds. */
export function toReadablePage(html: string, pageUrl: string): ReadablePage {
  const title = /<title\b[^<>]*>([^<]*)/i.exec(html)?.[1]?.trim() ?? "";
  const base = /<base\b[^<>]*?\bhref\s*=\s*["']?([^"'\s<>]+)/i.exec(html)?.[1] ?? "";
  const body = withAbsoluteLinks(withoutNoise(html), URL.parse(base, pageUrl)?.href ?? pageUrl);
  const translator = new NodeHtmlMarkdown({ maxConsecutiveNewlines: 2 });
  const pieces: string[] = [];
  let length = 0;
  for (const piece of inPieces(body)) {
    if (length > MAX_MARKDOWN_LENGTH) return { title: toText(title, translator), markdown: join(pieces), isCut: true };
    const markdown = translator.translate(piece).trim();
    pieces.push(markdown);
    length += markdown.length;
  }
  return { title: toText(title, translator), markdown: join(pieces), isCut: false };
}

function join(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece !== "").join("\n\n");
}

/** The translator resolves entities in a title; its escapes are unwanted here. */
function toText(title: string, translator: NodeHtmlMarkdown): string {
  return translator.translate(title).replaceAll(/\\(.)/g, "$1").replaceAll(/\s+/g, " ");
}

const NOISE = ["script", "style", "svg", "template", "noscript", "iframe", "head"];

/** By position rather than one expression, which would search for the end of each unclosed tag again and again. */
function withoutNoise(html: string): string {
  return NOISE.reduce((text, tag) => {
    const open = new RegExp(`<${tag}(?=[\\s>/])`, "gi");
    const close = new RegExp(`</${tag}\\s*>`, "gi");
    let [kept, from] = ["", 0];
    for (let start = open.exec(text); start !== null; start = open.exec(text)) {
      close.lastIndex = start.index;
      const end = close.exec(text);
      // Unclosed elements are left to the translator: cutting one would cut the rest of the page.
      if (end === null) break;
      kept += text.slice(from, start.index);
      from = close.lastIndex;
      open.lastIndex = from;
    }
    return kept + text.slice(from);
  }, html);
}

function withAbsoluteLinks(html: string, base: string): string {
  return html.replaceAll(/<(?:a|img)\b[^<>]*>/gi, (tag) =>
    tag.replace(/(\s(?:href|src)\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/i, (whole, name, double, single, bare) => {
      const address = String(double ?? single ?? bare).replaceAll("&amp;", "&");
      const url = URL.parse(address, base);
      return url === null ? whole : `${name}"${url.href.replaceAll("&", "&amp;")}"`;
    }),
  );
}

/** Splits before headings, paragraphs and the like, never within a list, a table or preformatted text. */
function* inPieces(html: string): Generator<string, void, undefined> {
  let [from, depth] = [0, 0];
  for (const { 0: tag, 1: slash, 2: name = "", index } of html.matchAll(
    /<(\/?)(pre|table|ul|ol|h[1-6]|p|div|section|article)\b/gi,
  )) {
    const isBlock = /^(?:pre|table|ul|ol)$/i.test(name);
    const isStart = slash === "" && tag !== "";
    if (isStart && depth === 0 && index - from >= PIECE_LENGTH) {
      yield html.slice(from, index);
      from = index;
    }
    if (isBlock) depth = Math.max(0, depth + (isStart ? 1 : -1));
  }
  yield html.slice(from);
}
