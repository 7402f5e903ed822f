/** Below this length the expressions themselves are faster. */
const LONG_TEXT = 4_096;

/** Bits used to distinguish characters: letters without case, digits, and most others. */
const BITS = 6;
const MASK = (1 << BITS) - 1;

/**
 * A part of the text as bytes, and the same memory as byte pairs: reading pairs is several times as fast as reading a string's characters.
 */
const part = Buffer.allocUnsafeSlow(64 * 1024);
const partPairs = new Uint16Array(part.buffer, part.byteOffset, part.byteLength / 2);
/** Number of groups of beginnings, by their first character. */
const GROUPS = 8;
/**
 * A pair is marked with one bit for each group in which a beginning may start there, and with a bit shifted by this much for each group it
 * may continue.
 */
const GOES_ON = 2 * GROUPS;
/** Positions of the first and second byte in such a number (endianness). */
const [firstShift, secondShift] = new Uint16Array(Uint8Array.of(1, 0).buffer)[0] === 1 ? [0, 8] : [8, 0];

/**
 * Tests whether any of these expressions matches in a text. Each match must start with one of the beginnings. A long text is scanned two
 * bytes at a time: a match starts with the first or second byte of a pair. The expressions are tried only where such a pair is followed by
 * one that continues a beginning of the same group, and three characters equal those of a beginning.
 */
export function createTextSearch(
  expressions: readonly RegExp[],
  beginnings: readonly string[],
): (text: string) => boolean {
  const matches = (text: string): boolean => expressions.some((expression) => expression.test(text));
  let searchLong: ((text: string) => boolean) | undefined;
  return (text) => {
    if (text.length < LONG_TEXT) return matches(text);
    // Built for the first long text, to keep the gateway's start fast.
    searchLong ??= createLongSearch(expressions, beginnings) ?? matches;
    return searchLong(text);
  };
}

/** Undefined for beginnings that it cannot search for. */
function createLongSearch(
  expressions: readonly RegExp[],
  beginnings: readonly string[],
): ((text: string) => boolean) | undefined {
  const tables = tablesOf(beginnings);
  if (tables === undefined) return undefined;
  const { marks, triples } = tables;
  const sticky = expressions.map(({ source, flags }) => new RegExp(source, `${flags}y`));
  const matchesAt = (text: string, index: number): boolean =>
    sticky.some((expression) => {
      expression.lastIndex = index;
      return expression.test(text);
    });
  /** Whether a match begins at this byte of the part; `from` is the part's offset in the text. */
  const beginsAt = (index: number, text: string, from: number): boolean => {
    const pair = (bitsOf(part[index]) << BITS) | bitsOf(part[index + 1]);
    return triples[(pair << BITS) | bitsOf(part[index + 2])] === 1 && matchesAt(text, from + index);
  };

  /** Whether a match begins in the part of the text at `from`. Only the lowest byte of each character is compared. */
  const matchesIn = (text: string, from: number): boolean => {
    const length = part.write(from === 0 ? text : text.slice(from, from + part.length), "latin1");
    const isAtPair = (index: number): boolean => beginsAt(index, text, from) || beginsAt(index + 1, text, from);
    let begun = 0;
    for (let pair = 0; pair < length >> 1; pair += 1) {
      const marked = marks[partPairs[pair] as number] as number;
      if ((begun & (marked >>> GOES_ON)) !== 0 && isAtPair(2 * (pair - 1))) return true;
      begun = marked;
    }
    return false;
  };

  return (text) => {
    // Consecutive parts overlap by two characters.
    for (let from = 0; from + 2 < text.length; from += part.length - 2) if (matchesIn(text, from)) return true;
    // Matches that begin with the last two or three characters are not followed by a whole pair.
    return matchesAt(text, text.length - 3) || matchesAt(text, text.length - 2);
  };
}

/** The bits of each byte; equal for both cases of a letter. */
const classOf: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isLower = byte >= 0x61 && byte <= 0x7a;
  return (isLower ? byte - 0x20 : byte) & MASK;
});

/** Marks the first three characters of each beginning and the byte pairs it can produce; undefined if one is too short or not ASCII. */
function tablesOf(beginnings: readonly string[]): Tables | undefined {
  const marks = new Uint32Array(1 << 16);
  const triples = new Uint8Array(1 << (3 * BITS));
  for (const beginning of beginnings) {
    const [first, second, third] = [0, 1, 2].map((index) => beginning.codePointAt(index));
    if (first === undefined || second === undefined || Math.max(first, second, third ?? 0) > 127) return undefined;
    const pair = (bitsOf(first) << BITS) | bitsOf(second);
    if (third === undefined) triples.fill(1, pair << BITS, (pair + 1) << BITS);
    else triples[(pair << BITS) | bitsOf(third)] = 1;
    const [ones, twos, threes] = [bytesLike(first), bytesLike(second), bytesLike(third)];
    // It begins with the first or the second byte of a pair.
    const atFirst = 1 << (bitsOf(first) % GROUPS);
    const atSecond = atFirst << GROUPS;
    mark(marks, ones, twos, atFirst);
    mark(marks, threes, bytesLike(beginning.codePointAt(3)), atFirst << GOES_ON);
    mark(marks, allBytes, ones, atSecond);
    mark(marks, twos, threes, atSecond << GOES_ON);
  }
  return { marks, triples };
}

const allBytes: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);
/** Bytes grouped by their bits. */
const byBits = Map.groupBy(allBytes, bitsOf);

/** Any byte, if the beginning has ended or continues with a non-ASCII letter. */
function bytesLike(wanted = 128): readonly number[] {
  return wanted > 127 ? allBytes : (byBits.get(bitsOf(wanted)) ?? []);
}

function mark(marks: Uint32Array, firsts: readonly number[], seconds: readonly number[], bits: number): void {
  for (const first of firsts)
    for (const second of seconds) {
      const pair = (first << firstShift) | (second << secondShift);
      marks[pair] = (marks[pair] as number) | bits;
    }
}

interface Tables {
  readonly marks: Uint32Array;
  readonly triples: Uint8Array;
}

function bitsOf(byte: number | undefined): number {
  return classOf[byte as number] as number;
}
