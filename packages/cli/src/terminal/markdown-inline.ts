import type { TerminalStyle } from "./look.ts";

/** A marker not closed within this many characters is plain text. */
const MAX_SPAN = 240;

interface Span {
  readonly kind: "text" | "code" | "bold" | "emphasis" | "link";
  readonly text: string;
  /** A link's URL. */
  readonly target?: string;
}

export interface InlineReading {
  readonly spans: readonly Span[];
  /** Text that may still become a span; it starts with its marker. */
  readonly rest: string;
}

/** What starts at a position: a whole span, a marker that may still be closed, or plain text. */
type Found = { readonly span: Span; readonly length: number } | { readonly opens: number } | undefined;

interface Marker {
  readonly kind: "code" | "bold" | "emphasis";
  readonly mark: string;
}

/**
 * Separates bold, emphasis, code and links from plain text. `before` is the preceding character, because `2**10` opens nothing. With
 * `isWhole` no more text follows, and an unclosed marker is plain text.
 */
export function readInline(text: string, before: string, isWhole: boolean): InlineReading {
  const spans: Span[] = [];
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const found = findSpan(text, at, at === 0 ? before : (text[at - 1] ?? ""), isWhole);
    if (found === undefined) {
      at += 1;
      continue;
    }
    if ("opens" in found) {
      if (!isWhole && text.length - at <= MAX_SPAN)
        return { spans: [...spans, ...plain(text.slice(plainFrom, at))], rest: text.slice(at) };
      at += found.opens;
      continue;
    }
    spans.push(...plain(text.slice(plainFrom, at)), found.span);
    at += found.length;
    plainFrom = at;
  }
  return { spans: [...spans, ...plain(text.slice(plainFrom))], rest: "" };
}

/** `base` paints the surrounding text, a heading for instance. */
export function paintInline(
  { spans }: InlineReading,
  style: TerminalStyle,
  base: (text: string) => string = (text) => text,
): string {
  return spans
    .map(({ kind, text, target }) => {
      if (kind === "text") return base(text);
      if (kind === "code") return base(style.cyan(text));
      const inner = (paint: (text: string) => string): string => paintInline(readInline(text, "*", true), style, paint);
      if (kind === "bold") return inner(style.bold);
      if (kind === "emphasis") return inner(style.italic);
      // Not every terminal can click links, so the URL is shown unless it is the text itself.
      return inner(style.underline) + (target === undefined || target === text ? "" : style.dim(` (${target})`));
    })
    .join("");
}

function findSpan(text: string, at: number, before: string, isWhole: boolean): Found {
  if (text[at] === "[") return findLink(text.slice(at));
  const marker = markerAt(text, at, before);
  if (marker === undefined) return undefined;
  const { kind, mark } = marker;
  const end = closingOf(text, at, marker, isWhole);
  if (end === undefined) return { opens: mark.length };
  return { span: { kind, text: text.slice(at + mark.length, end) }, length: end + mark.length - at };
}

function findLink(text: string): Found {
  const whole = /^\[([^\]\n]+)\]\(([^()\s]+)\)/.exec(text);
  if (whole !== null)
    return { span: { kind: "link", text: whole[1] ?? "", target: whole[2] ?? "" }, length: whole[0].length };
  return /^\[[^\]\n]*(?:\](?:\([^()\s]*)?)?$/.test(text) ? { opens: 1 } : undefined;
}

function markerAt(text: string, at: number, before: string): Marker | undefined {
  const backticks = /^`+/.exec(text.slice(at, at + 8))?.[0];
  if (backticks !== undefined) return { kind: "code", mark: backticks };
  const ahead = text.slice(at, at + 3);
  if (/[\w*]/.test(before)) return undefined;
  // A star at the very end may be the first of two.
  if (/^\*(?:$|\*(?:$|[^\s*]))/.test(ahead)) return { kind: "bold", mark: "**" };
  return /^(?:\*[^\s*]|_(?:$|[^\s_]))/.test(ahead) ? { kind: "emphasis", mark: ahead.charAt(0) } : undefined;
}

function closingOf(text: string, at: number, { kind, mark }: Marker, isWhole: boolean): number | undefined {
  const closes = (end: number): boolean => {
    const [before = "", after] = [text[end - 1], text[end + mark.length]];
    if (kind === "code") return before !== "`" && after !== "`";
    if (/\s/.test(before)) return false;
    // The next character tells `snake_case` from the end of a word.
    return kind === "bold" || (before !== mark && (after === undefined ? isWhole : !/[\w*]/.test(after)));
  };
  let end = text.indexOf(mark, at + mark.length + 1);
  while (end !== -1 && !closes(end)) end = text.indexOf(mark, end + 1);
  return end === -1 ? undefined : end;
}

function plain(text: string): readonly Span[] {
  return text === "" ? [] : [{ kind: "text", text }];
}
