import { CaretError } from "@caret/protocol";

/** A word of a text and its position. */
export interface Word {
  /** Without case and accents. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** A search term. All terms must occur in one piece. */
export interface SearchTerm {
  /** Consecutive words. */
  readonly words: readonly string[];
  /** The last word may be a prefix: people rarely type words to the end. */
  readonly isPrefix: boolean;
}

const MOST_TERMS = 16;
/** Shorter prefixes match nearly everything. */
const SHORTEST_PREFIX = 3;

/** Scripts without spaces between words: each character counts as a word. */
const unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const wordPattern = new RegExp(`[${unspaced}]\\p{M}*|(?:(?![${unspaced}])[\\p{L}\\p{N}]\\p{M}*)+`, "gu");

/** The words of a text, in order. Index, query and excerpt must all split texts with this function. */
export function wordsOf(text: string): readonly Word[] {
  return Array.from(text.matchAll(wordPattern), (match) => {
    const [found] = match;
    return { word: folded(found), from: match.index, to: match.index + found.length };
  });
}

/**
 * Converts a text for the index: its words, separated by spaces. The index's tokenizer (`unicode61`) splits and folds ASCII exactly as
 * `wordsOf` does, so ASCII text is passed unchanged: converting it took fifteen times its memory.
 */
export function toIndexText(text: string): string {
  if (isAscii(text)) return text;
  return wordsOf(text)
    .map(({ word }) => word)
    .join(" ");
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Parses `needle "a phrase" begin`: quotes keep words together. */
export function readTerms(query: string): readonly SearchTerm[] {
  const terms = [...query.matchAll(/"([^"]*)"?|[^\s"]+/gu)].flatMap(([whole, phrase]) => {
    const words = wordsOf(phrase ?? whole).map(({ word }) => word);
    const last = words.at(-1) ?? "";
    return words.length === 0 ? [] : [{ words, isPrefix: phrase === undefined && last.length >= SHORTEST_PREFIX }];
  });
  if (terms.length === 0)
    throw new CaretError("invalid-request", "A search needs letters or digits", {
      fix: "Write a word that was said; put quotes around words that follow each other.",
    });
  if (terms.length > MOST_TERMS)
    throw new CaretError("invalid-request", `A search takes at most ${MOST_TERMS} words`, {
      fix: "Search for fewer words, or put quotes around those that follow each other.",
    });
  return terms;
}

function folded(word: string): string {
  // Nearly all words of code and of English have no accents to strip.
  if (isAscii(word)) return word.toLowerCase();
  return word
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
}
