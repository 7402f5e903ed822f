/** Below this the expressions themselves are quicker. */
const LONG_TEXT = 4_096;

/** Characters are told apart by so many bits: letters without their case, digits, and most of the rest. */
const BITS = 6;
const MASK = (1 << BITS) - 1;

/** A part of the text as bytes, and the same two by two: reading those is several times as fast as reading characters of a string. */
const part = Buffer.allocUnsafeSlow(64 * 1024);
const partPairs = new Uint16Array(part.buffer, part.byteOffset, part.byteLength / 2);
/** Where the first of two bytes stands in such a number, and the second. */
const [firstShift, secondShift] = new Uint16Array(Uint8Array.of(1, 0).buffer)[0] === 1 ? [0, 8] : [8, 0];

/**
 * Whether any of these expressions matches somewhere in a text. Each match has to begin with one of the beginnings. A long text is looked at
 * two bytes at a time: whatever begins there has its first two or its second and third character in one of these pairs. Only where
 * a pair is one of those, and three characters are those of a beginning, the expressions are tried.
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
  const { suspects, triples } = tables;
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
    const isAtPair = (index: number): boolean =>
      (index > 0 && beginsAt(index - 1, text, from)) || (index + 2 < length && beginsAt(index, text, from));
    for (let pair = 0; pair < length >> 1; pair += 1)
      if (suspects[partPairs[pair] as number] === 1 && isAtPair(2 * pair)) return true;
    return false;
  };

  return (text) => {
    // Two characters are in both parts.
    for (let from = 0; from + 2 < text.length; from += part.length - 2) if (matchesIn(text, from)) return true;
    // A beginning of two characters may end the text.
    return matchesAt(text, text.length - 2);
  };
}

/** The bits of each byte: the same for both cases of a letter. */
const classOf: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isLower = byte >= 0x61 && byte <= 0x7a;
  return (isLower ? byte - 0x20 : byte) & MASK;
});

/** Marks the first three characters of each beginning, and what pairs of bytes it may show; undefined when one is too short or has letters beyond ASCII. */
function tablesOf(beginnings: readonly string[]): Tables | undefined {
  const suspects = new Uint8Array(1 << 16);
  const triples = new Uint8Array(1 << (3 * BITS));
  for (const beginning of beginnings) {
    const [first, second, third] = [0, 1, 2].map((index) => beginning.codePointAt(index));
    if (first === undefined || second === undefined || Math.max(first, second, third ?? 0) > 127) return undefined;
    const pair = (bitsOf(first) << BITS) | bitsOf(second);
    if (third === undefined) triples.fill(1, pair << BITS, (pair + 1) << BITS);
    else triples[(pair << BITS) | bitsOf(third)] = 1;
    mark(suspects, bytesLike(first), bytesLike(second));
    mark(suspects, bytesLike(second), third === undefined ? allBytes : bytesLike(third));
  }
  return { suspects, triples };
}

const allBytes: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);
/** The bytes that have the same bits, by these. */
const byBits = Map.groupBy(allBytes, bitsOf);

function bytesLike(wanted: number): readonly number[] {
  return byBits.get(bitsOf(wanted)) ?? [];
}

function mark(suspects: Uint8Array, firsts: readonly number[], seconds: readonly number[]): void {
  for (const first of firsts)
    for (const second of seconds) suspects[(first << firstShift) | (second << secondShift)] = 1;
}

interface Tables {
  readonly suspects: Uint8Array;
  readonly triples: Uint8Array;
}

function bitsOf(byte: number | undefined): number {
  return classOf[byte as number] as number;
}
