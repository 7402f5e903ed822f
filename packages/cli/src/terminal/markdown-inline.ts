import type { TerminalStyle } from "./look.ts";

/** An opened marker that is still not closed after this many characters is taken for what it looks like. */
const MAX_SPAN = 240;

interface Span {
  readonly kind: "text" | "code" | "bold";
  readonly text: string;
}

export interface InlineReading {
  readonly spans: readonly Span[];
  /** What may still become a span once more has come; it begins with its marker. */
  readonly rest: string;
}

interface Marker {
  readonly kind: "code" | "bold";
  readonly mark: string;
}

/**
 * Tell bold and code from other text. `before` is the character in front, because `2**10` opens nothing. With `isWhole`
 * no more will come, and an unclosed marker is text.
 */
export function readInline(text: string, before: string, isWhole: boolean): InlineReading {
  const spans: Span[] = [];
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const marker = markerAt(text, at, at === 0 ? before : (text[at - 1] ?? ""));
    if (marker === undefined) {
      at += 1;
      continue;
    }
    const end = closingOf(text, at, marker);
    if (end === undefined && !isWhole && text.length - at <= MAX_SPAN)
      return { spans: [...spans, ...plain(text.slice(plainFrom, at))], rest: text.slice(at) };
    if (end === undefined) {
      at += marker.mark.length;
      continue;
    }
    const inner = text.slice(at + marker.mark.length, end);
    spans.push(...plain(text.slice(plainFrom, at)), { kind: marker.kind, text: inner });
    at = end + marker.mark.length;
    plainFrom = at;
  }
  return { spans: [...spans, ...plain(text.slice(plainFrom))], rest: "" };
}

/** `base` is the look of the text around, of a heading for instance. */
export function paintInline(
  { spans }: InlineReading,
  style: TerminalStyle,
  base: (text: string) => string = (text) => text,
): string {
  return spans
    .map(({ kind, text }) => {
      if (kind === "text") return base(text);
      if (kind === "code") return base(style.cyan(text));
      return paintInline(readInline(text, "*", true), style, style.bold);
    })
    .join("");
}

function markerAt(text: string, at: number, before: string): Marker | undefined {
  const backticks = /^`+/.exec(text.slice(at, at + 8))?.[0];
  if (backticks !== undefined) return { kind: "code", mark: backticks };
  if (text[at] !== "*" || /[\w*]/.test(before)) return undefined;
  // One star at the very end may be the first of two.
  const opens = /^\*(?:$|\*(?:$|[^\s*]))/.test(text.slice(at, at + 3));
  return opens ? { kind: "bold", mark: "**" } : undefined;
}

function closingOf(text: string, at: number, { kind, mark }: Marker): number | undefined {
  let end = text.indexOf(mark, at + mark.length + 1);
  if (kind === "bold") {
    while (end !== -1 && /\s/.test(text[end - 1] ?? "")) end = text.indexOf(mark, end + 1);
    return end === -1 ? undefined : end;
  }
  while (end !== -1 && (text[end - 1] === "`" || text[end + mark.length] === "`"))
    end = text.indexOf(mark, end + mark.length);
  return end === -1 ? undefined : end;
}

function plain(text: string): readonly Span[] {
  return text === "" ? [] : [{ kind: "text", text }];
}
