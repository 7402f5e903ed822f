import { CaretError } from "@caret/protocol";

/** A word of a text and where it stands in it. */
export interface Word {
  /** Without case and accents. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** What is searched for. All terms must be said in one piece. */
export interface SearchTerm {
  /** Words that must follow each other. */
  readonly words: readonly string[];
  /** The last word may go on: what is typed is rarely typed to its end. */
  readonly isPrefix: boolean;
}

const MOST_TERMS = 16;
/** Shorter beginnings fit nearly everything. */
const SHORTEST_PREFIX = 3;

/** Scripts without spaces between the words: each character counts as one. */
const unspaced = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const wordPattern = new RegExp(`[${unspaced}]\\p{M}*|(?:(?![${unspaced}])[\\p{L}\\p{N}]\\p{M}*)+`, "gu");

/** The words of a text in their order. Index, query and excerpt split texts by this and by nothing else. */
export function wordsOf(text: string): readonly Word[] {
  return Array.from(text.matchAll(wordPattern), (match) => {
    const [found] = match;
    return { word: folded(found), from: match.index, to: match.index + found.length };
  });
}

/**
 * A text as the index takes it: its words, with a space between them. The tokenizer of the index (`unicode61`) splits and folds ASCII just
 * as `wordsOf` does, so that nothing has to be made of such a text: that took fifteen times its memory.
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

/** Reads `needle "a phrase" begin`: quotes keep words together. */
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
  // Nearly all words of code and of English have no accents to take off.
  if (isAscii(word)) return word.toLowerCase();
  return word
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
}
