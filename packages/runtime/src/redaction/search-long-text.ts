/** Below this the expressions themselves are quicker. */
const LONG_TEXT = 4_096;

/** Characters are told apart by so many bits: letters without their case, digits, and most of the rest. */
const BITS = 6;
const MASK = (1 << BITS) - 1;

/** A part of the text as bytes, and the same two by two: reading those is several times as fast as reading characters of a string. */
const part = Buffer.allocUnsafeSlow(64 * 1024);
const partPairs = new Uint16Array(part.buffer, part.byteOffset, part.byteLength / 2);
/** Beginnings are told apart in so many groups, by their first characters. */
const GROUPS = 8;
/** A pair is marked with a bit for each group in which it may begin a beginning, and with one so much higher where it may go on with it. */
const GOES_ON = 2 * GROUPS;
/** Where the first of two bytes stands in such a number, and the second. */
const [firstShift, secondShift] = new Uint16Array(Uint8Array.of(1, 0).buffer)[0] === 1 ? [0, 8] : [8, 0];

/**
 * Whether any of these expressions matches somewhere in a text. Each match has to begin with one of the beginnings. A long text is looked at
 * two bytes at a time: whatever begins there has its first character in one of these pairs, first or second. Only where such a pair is
 * followed by one that goes on with a beginning of the same group, and three characters are those of a beginning, the expressions are tried.
 */
export function createTextSearch(
  expressions: readonly RegExp[],
  beginnings: readonly string[],
): (text: string) => boolean {
  const matches = (text: string): boolean => expressions.some((expression) => expression.test(text));
  let searchLong: ((text: string) => boolean) | undefined;
  return (text) => {
    if (text.length < LONG_TEXT) return matches(text);
    // Made for the first long text: a gateway starts without.
    searchLong ??= createLongSearch(expressions, beginnings) ?? matches;
    return searchLong(text);
  };
}

/** Undefined for beginnings that it cannot look for. */
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
  /** Whether a match begins at this byte of the part, of which `from` is the first character. */
  const beginsAt = (index: number, text: string, from: number): boolean => {
    const pair = (bitsOf(part[index]) << BITS) | bitsOf(part[index + 1]);
    return triples[(pair << BITS) | bitsOf(part[index + 2])] === 1 && matchesAt(text, from + index);
  };

  /** Whether there is a match that begins in the part of the text from here on. Of a character only its lowest byte is compared. */
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
    // Two characters are in both parts.
    for (let from = 0; from + 2 < text.length; from += part.length - 2) if (matchesIn(text, from)) return true;
    // What begins with the last two or three characters has no whole pair behind it.
    return matchesAt(text, text.length - 3) || matchesAt(text, text.length - 2);
  };
}

/** The bits of each byte: the same for both cases of a letter. */
const classOf: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isLower = byte >= 0x61 && byte <= 0x7a;
  return (isLower ? byte - 0x20 : byte) & MASK;
});

/** Marks the first three characters of each beginning, and what pairs of bytes it may show; undefined when one is too short or has letters beyond ASCII. */
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
    // It begins with the first byte of a pair, or with the second.
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
/** The bytes that have the same bits, by these. */
const byBits = Map.groupBy(allBytes, bitsOf);

/** Any byte, where a beginning is at its end or goes on with a letter beyond ASCII. */
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
