/** Weights are quarters of a token, as a rule of thumb: an ASCII character weighs one. */
const WEIGHT_PER_TOKEN = 4;
const OTHER_WEIGHT = 2;
const BEYOND_ASCII = /\P{ASCII}/u;

/** UTF-16 ranges where a code unit is about one token: Hangul, kana, Han, full-width forms, surrogates. */
const denseRanges: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x11ff],
  [0x2e80, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xdfff],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
];

export function weightOf(text: string): number {
  // Nearly all text is ASCII, and one search is far faster than a look at each character.
  if (!BEYOND_ASCII.test(text)) return text.length;
  let weight = 0;
  for (let index = 0; index < text.length; index += 1) weight += weightAt(text, index);
  return weight;
}

export function tokensOf(weight: number): number {
  return Math.ceil(weight / WEIGHT_PER_TOKEN);
}

/** Converts tokens to weight, by the same rule. */
export function weightWithin(tokens: number): number {
  return tokens * WEIGHT_PER_TOKEN;
}

/** Longest prefix that weighs at most `room`; never splits a character. */
export function cutToWeight(text: string, room: number): string {
  let left = room;
  let length = 0;
  while (length < text.length) {
    left -= weightAt(text, length);
    if (left < 0) break;
    length += 1;
  }
  const last = text.charCodeAt(length - 1);
  return text.slice(0, length < text.length && last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function weightAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return 1;
  if (unit < 0x1100) return OTHER_WEIGHT;
  return denseRanges.some(([first, last]) => unit >= first && unit <= last) ? WEIGHT_PER_TOKEN : OTHER_WEIGHT;
}
