/** Below this the expressions themselves are quicker. */
const LONG_TEXT = 4_096;

/** Five bits of a character: enough to recognise ordinary text, and the same for both cases of a letter. */
const BITS = 5;
const MASK = (1 << BITS) - 1;

/**
 * Whether any of these expressions matches somewhere in a text. Each match has to begin with one of the beginnings. In a long
 * text the expressions are tried only where three characters are those of a beginning, which takes half of the time that they
 * take by themselves.
 */
export function createTextSearch(
  expressions: readonly RegExp[],
  beginnings: readonly string[],
): (text: string) => boolean {
  const matches = (text: string): boolean => expressions.some((expression) => expression.test(text));
  const table = tableOf(beginnings);
  if (table === undefined) return matches;
  const sticky = expressions.map(({ source, flags }) => new RegExp(source, `${flags}y`));
  const matchesAt = (text: string, index: number): boolean =>
    sticky.some((expression) => {
      expression.lastIndex = index;
      return expression.test(text);
    });

  return (text) => {
    if (text.length < LONG_TEXT) return matches(text);
    let key = ((text.charCodeAt(0) & MASK) << BITS) | (text.charCodeAt(1) & MASK);
    for (let index = 2; index < text.length; index += 1) {
      key = ((key << BITS) | (text.charCodeAt(index) & MASK)) & KEYS_MASK;
      if (table[key] === 1 && matchesAt(text, index - 2)) return true;
    }
    // A beginning of two characters may end the text.
    return matches(text.slice(-LONG_TEXT / 2));
  };
}

const KEYS_MASK = (1 << (3 * BITS)) - 1;

/** Marks the first three characters of each beginning; undefined when one is too short or has letters beyond ASCII. */
function tableOf(beginnings: readonly string[]): Uint8Array | undefined {
  const table = new Uint8Array(KEYS_MASK + 1);
  for (const beginning of beginnings) {
    const [first, second, third] = Array.from({ length: 3 }, (_, index) => beginning.charCodeAt(index));
    if (first === undefined || second === undefined || third === undefined || Number.isNaN(second)) return undefined;
    if (Math.max(first, second, third || 0) > 127) return undefined;
    const pair = ((first & MASK) << (2 * BITS)) | ((second & MASK) << BITS);
    if (Number.isNaN(third)) table.fill(1, pair, pair + MASK + 1);
    else table[pair | (third & MASK)] = 1;
  }
  return table;
}
