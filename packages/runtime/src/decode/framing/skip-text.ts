import type { LongLine } from "./open-line.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const HEX_DIGITS = 4;
const FOUR_BYTES = 0xf0;
const BLANK = 0x20;

export interface TextSkip {
  /** Where the text begins in the line: after its opening quote. */
  readonly from: number;
  /** How many characters of it are left out, as JavaScript counts them. */
  readonly characters: number;
}

/**
 * Takes the bytes of one line of JSON as they come and leaves out the beginning of one of its strings, so that what is
 * known of it already is never in memory. A string that is shorter becomes empty. Where more is left of the line than was
 * left out, blanks stand for what was: a string is never taken for its own beginning by its length.
 */
export function createTextSkip({ from, characters }: TextSkip): LongLine {
  const head: Buffer[] = [];
  const rest: Buffer[] = [];
  let restBytes = 0;
  let before = from;
  let left = characters;
  let isSkipping = true;
  /** What of an escape is still to come: its letter, then the digits of a `\u`. */
  let isEscaped = false;
  let digits = 0;

  const isWithin = (byte: number): boolean => isEscaped || digits > 0 || (byte & 0xc0) === 0x80;

  const skip = (byte: number): void => {
    if (digits > 0) digits -= 1;
    else if (isEscaped) {
      isEscaped = false;
      digits = byte === LETTER_U ? HEX_DIGITS : 0;
    } else if ((byte & 0xc0) !== 0x80) {
      isEscaped = byte === BACKSLASH;
      left -= byte >= FOUR_BYTES ? 2 : 1;
    }
  };

  /** Whether these bytes are nothing but ASCII characters of the string, all of which are left out. Most are. */
  const isPlain = (bytes: Buffer, start: number): boolean => {
    const { byteLength } = bytes;
    if (isEscaped || digits > 0 || left < byteLength - start) return false;
    // A character that is cut in two would count as one in each half.
    if ((bytes[start] ?? 0) >= 0x80 || (bytes[byteLength - 1] ?? 0) >= 0x80) return false;
    if (bytes.indexOf(QUOTE, start) !== -1 || bytes.indexOf(BACKSLASH, start) !== -1) return false;
    return bytes.toString("utf8", start).length === byteLength - start;
  };

  /** Where the bytes are kept again: at the quote that ends the string, or after the last character that is left out. */
  const endOfSkip = (bytes: Buffer, start: number): number => {
    if (isPlain(bytes, start)) {
      left -= bytes.byteLength - start;
      return bytes.byteLength;
    }
    for (let at = start; at < bytes.byteLength; at += 1) {
      const byte = bytes[at] ?? 0;
      if (!isWithin(byte) && (left <= 0 || byte === QUOTE)) {
        isSkipping = false;
        return at;
      }
      skip(byte);
    }
    return bytes.byteLength;
  };

  return {
    push(bytes) {
      const start = Math.min(before, bytes.byteLength);
      before -= start;
      const end = isSkipping && before === 0 ? endOfSkip(bytes, start) : start;
      // Copied: a reader may reuse its chunk's memory, and a small rest must not pin a large chunk.
      if (start > 0) head.push(Buffer.from(bytes.subarray(0, start)));
      if (end < bytes.byteLength) rest.push(Buffer.from(bytes.subarray(end)));
      restBytes += bytes.byteLength - end;
    },
    take: () =>
      Buffer.concat([...head, restBytes < characters ? Buffer.alloc(0) : Buffer.alloc(characters, BLANK), ...rest]),
  };
}
