const plain = /^[\x20-\x7e]*$/;

/** Created for the first non-ASCII text: they load a megabyte of Unicode tables, which a gateway never needs. */
interface Unicode {
  readonly graphemes: Intl.Segmenter;
  readonly zeroWidth: RegExp;
  readonly pictograph: RegExp;
}
let made: Unicode | undefined;

function unicode(): Unicode {
  made ??= {
    graphemes: new Intl.Segmenter(undefined, { granularity: "grapheme" }),
    zeroWidth: /^[\p{Mark}\p{Format}\p{Control}]/u,
    pictograph: /\p{Emoji_Presentation}|\ufe0f/u,
  };
  return made;
}

/** Scripts whose characters are two columns wide: Hangul Jamo, CJK and its punctuation, Hangul, full-width forms. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** Cuts the middle out of a string wider than `width`: both ends of a path or a command are informative. */
export function shortenMiddle(text: string, width: number, ellipsis = "…"): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  if (room < 2) return fitStart(text, Math.max(0, width));
  const head = fitStart(text, Math.ceil(room / 2));
  return head + ellipsis + fitEnd(text, room - displayWidth(head));
}

/** Cuts the end off: the start of a sentence is the most informative. */
export function shortenEnd(text: string, width: number, ellipsis = "…"): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  return room < 1 ? fitStart(text, Math.max(0, width)) : fitStart(text, room) + ellipsis;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

function fitStart(text: string, width: number): string {
  let fitted = "";
  let used = 0;
  // Sliced first: a command may be megabytes long.
  for (const grapheme of splitGraphemes(text.slice(0, width * 8))) {
    used += grapheme.width;
    if (used > width) break;
    fitted += grapheme.text;
  }
  return fitted;
}

function fitEnd(text: string, width: number): string {
  let fitted = "";
  let used = 0;
  for (const grapheme of splitGraphemes(text.slice(-width * 8)).toReversed()) {
    used += grapheme.width;
    if (used > width) break;
    fitted = grapheme.text + fitted;
  }
  return fitted;
}

/** Columns that a string without control characters takes in a terminal. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of unicode().graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The characters as a person sees them, each with its width. */
export function splitGraphemes(text: string): readonly { readonly text: string; readonly width: number }[] {
  return Array.from(unicode().graphemes.segment(text), ({ segment }) => ({
    text: segment,
    width: graphemeWidth(segment),
  }));
}

function graphemeWidth(segment: string): number {
  if (plain.test(segment)) return segment.length;
  const { zeroWidth, pictograph } = unicode();
  if (zeroWidth.test(segment)) return 0;
  return pictograph.test(segment) || wide.test(segment) ? 2 : 1;
}
