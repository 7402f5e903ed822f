import type { LongLine } from "./open-line.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const HEX_DIGITS = 4;
const FOUR_BYTES = 0xf0;
const BLANK = 0x20;

export interface TextSkip {
  /** Start of the text in the line, after its opening quote. */
  readonly from: number;
  /** Number of its characters to leave out, as counted by JavaScript. */
  readonly characters: number;
}

/**
 * Streams one line of JSON, leaving out the start of one of its strings, so text already known is never in memory. A shorter string becomes
 * empty. If more of the line remains than was left out, blanks replace the omitted part, so the string's length never makes it look like
 * its own start.
 */
export function createTextSkip({ from, characters }: TextSkip): LongLine {
  const head: Buffer[] = [];
  const rest: Buffer[] = [];
  let restBytes = 0;
  let before = from;
  let left = characters;
  let isSkipping = true;
  /** Remainder of an escape: its letter, then the digits of a `\u`. */
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

  /** Whether these bytes are only ASCII characters of the string and all to be left out. Most are. */
  const isPlain = (bytes: Buffer, start: number): boolean => {
    const { byteLength } = bytes;
    if (isEscaped || digits > 0 || left < byteLength - start) return false;
    // A split character would count as one in each half.
    if ((bytes[start] ?? 0) >= 0x80 || (bytes[byteLength - 1] ?? 0) >= 0x80) return false;
    if (bytes.indexOf(QUOTE, start) !== -1 || bytes.indexOf(BACKSLASH, start) !== -1) return false;
    return bytes.toString("utf8", start).length === byteLength - start;
  };

  /** Where keeping resumes: at the closing quote, or after the last omitted character. */
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
