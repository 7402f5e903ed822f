const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const NEWLINE = Buffer.from("\\n");
const [OPENS, CLOSES] = [0x7b, 0x7d];
/** `\uXXXX`, the longest escape. */
const ESCAPE_BYTES = 6;
/** In a shorter piece a character may have started before it. */
const MIN_PIECE_BYTES = 2 * ESCAPE_BYTES;

/**
 * Streams one JSON text, keeping only the start of every string. The result is the same JSON with shorter strings, so it can be parsed
 * without ever being whole in memory. Text after the object is a separate one, kept whole.
 */
export interface StringShortener {
  push(bytes: Buffer): void;
  /** Returns what was kept. */
  take(): Buffer;
}

/** Longer than any secret: half a secret would not be recognised as one. */
const MAX_WORD_BYTES = 8_192;

/** Cuts strings between words (or characters, if there are no words) somewhere after `maxBytes`, near the end of the piece being read. */
export function createStringShortener({ maxBytes }: { readonly maxBytes: number }): StringShortener {
  let kept: Buffer[] = [];
  let inString = false;
  /** Whether the last byte seen is a backslash that escapes the next one. */
  let escapes = false;
  let length = 0;
  /** Number of open objects; the text ends when the last one closes. */
  let depth = 0;
  let isOver = false;
  /** Bytes of the current string left out; undefined while all of it is kept. */
  let leftOut: number | undefined;

  /** Copied: a reader may reuse its chunk's memory, and a small rest must not pin a large chunk. */
  const keep = (bytes: Buffer): void => {
    if (bytes.byteLength > 0) kept.push(Buffer.from(bytes));
  };

  /** Adds string bytes, possibly up to the closing quote. */
  const addString = (bytes: Buffer, isClosed: boolean): void => {
    if (leftOut !== undefined) leftOut += bytes.byteLength;
    else {
      length += bytes.byteLength;
      const isCut = length > maxBytes && !isClosed && bytes.byteLength >= MIN_PIECE_BYTES;
      const whole = isCut ? wholeWords(bytes, wholeCharacters(bytes, escapes)) : bytes.byteLength;
      keep(bytes.subarray(0, whole));
      if (isCut) leftOut = bytes.byteLength - whole;
    }
    if (!isClosed) return;
    if (leftOut !== undefined) kept.push(Buffer.from(`\\n[${leftOut} more bytes were left out]`));
    leftOut = undefined;
    length = 0;
    inString = false;
  };

  /** End of the object in bytes outside of strings, or -1. */
  const endOfObject = (bytes: Buffer, start: number, end: number): number => {
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === OPENS) depth += 1;
      else if (byte === CLOSES) depth -= 1;
      if (byte === CLOSES && depth === 0) return at + 1;
    }
    return -1;
  };

  /** Handles bytes up to the quote that opens the next string. Returns the position after it. */
  const addOutside = (bytes: Buffer, start: number): number => {
    const quote = bytes.indexOf(QUOTE, start);
    const end = quote === -1 ? bytes.byteLength : quote;
    const over = endOfObject(bytes, start, end);
    isOver = over !== -1;
    inString = quote !== -1;
    keep(bytes.subarray(start, isOver ? over : end));
    if (isOver) return over;
    if (inString) kept.push(Buffer.from([QUOTE]));
    return end + 1;
  };

  /** The same up to the quote that closes the string. */
  const addInside = (bytes: Buffer, start: number): number => {
    const quote = closingQuote(bytes, start, escapes);
    const end = quote === -1 ? bytes.byteLength : quote;
    const escapesNext = quote === -1 && isEscaped(bytes, start, end, escapes);
    addString(bytes.subarray(start, end), quote !== -1);
    escapes = escapesNext;
    if (quote !== -1) kept.push(Buffer.from([QUOTE]));
    return end + 1;
  };

  return {
    push(bytes) {
      let start = 0;
      while (start < bytes.byteLength && !isOver) start = inString ? addInside(bytes, start) : addOutside(bytes, start);
      keep(bytes.subarray(start));
    },
    take() {
      const text = Buffer.concat(kept);
      kept = [];
      return text;
    },
  };
}

function closingQuote(bytes: Buffer, start: number, escapedBefore: boolean): number {
  let quote = bytes.indexOf(QUOTE, start);
  while (quote !== -1 && isEscaped(bytes, start, quote, escapedBefore)) quote = bytes.indexOf(QUOTE, quote + 1);
  return quote;
}

/** Whether the byte at `at` is escaped, in a string whose first visible byte is at `start`, which may itself be escaped. */
function isEscaped(bytes: Buffer, start: number, at: number, escapedBefore: boolean): boolean {
  let first = at;
  while (first > start && bytes[first - 1] === BACKSLASH) first -= 1;
  const isOdd = (at - first) % 2 === 1;
  return first === start && escapedBefore ? !isOdd : isOdd;
}

/** Length of the whole words among the first `end` bytes; `end` if the last word has no visible start. */
function wholeWords(bytes: Buffer, end: number): number {
  const last = bytes.subarray(Math.max(0, end - MAX_WORD_BYTES), end);
  const newline = last.lastIndexOf(NEWLINE);
  const at = Math.max(last.lastIndexOf(BLANK), newline === -1 ? -1 : newline + 1);
  return at === -1 ? end : end - last.byteLength + at + 1;
}

/** Length of the whole characters: without a partial escape, surrogate pair or UTF-8 sequence. */
function wholeCharacters(bytes: Buffer, escapedBefore: boolean): number {
  const end = withoutHalfEscape(bytes, escapedBefore);
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return sequenceLength(byte) === back ? end : end - back;
  }
  return end;
}

/** A string end that is only the start of an escape, or lacks the second half of a pair. */
const HALF_ESCAPE = /\\u[0-9a-f]{0,3}$/i;
const HALF_PAIR = /\\ud[89ab][0-9a-f]{2}$/i;

function withoutHalfEscape(bytes: Buffer, escapedBefore: boolean): number {
  const isEscape = (at: number): boolean => !isEscaped(bytes, 0, at, escapedBefore);
  const dropped = (end: number, pattern: RegExp): number => {
    const from = Math.max(0, end - ESCAPE_BYTES);
    const found = pattern.exec(bytes.toString("latin1", from, end));
    return found !== null && isEscape(from + found.index) ? from + found.index : end;
  };
  const { byteLength } = bytes;
  const end = isEscaped(bytes, 0, byteLength, escapedBefore) ? byteLength - 1 : dropped(byteLength, HALF_ESCAPE);
  return dropped(end, HALF_PAIR);
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
