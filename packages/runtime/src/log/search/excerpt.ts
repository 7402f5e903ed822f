import type { Excerpt } from "@caret/protocol";
import { type SearchTerm, type Word, wordsOf } from "./search-words.ts";

/** Characters shown before the first match. */
const LEAD = 60;
const LENGTH = 240;

type Range = readonly [from: number, to: number];

/** An excerpt around the first match, with the positions of the matches in it; the beginning of the text if nothing matches. */
export function excerptOf(text: string, terms: readonly SearchTerm[]): Excerpt {
  const words = wordsOf(text);
  const places = terms.flatMap((term) => placesOf(words, term)).sort(([one], [other]) => one - other);
  const start = startOfWord(words, Math.max(0, (places[0]?.[0] ?? 0) - LEAD));
  const end = wholeCharacters(text, Math.min(text.length, start + LENGTH));
  const lead = start > 0 ? "…" : "";
  const move = lead.length - start;
  const shown = apart(places).filter(([, to]) => to <= end);
  return {
    text: lead + text.slice(start, end) + (end < text.length ? "…" : ""),
    marks: shown.map(([from, to]) => [from + move, to + move]),
  };
}

/** Whether a text contains all of the terms. */
export function saysAll(text: string, terms: readonly SearchTerm[]): boolean {
  const words = wordsOf(text);
  return terms.every((term) => placesOf(words, term).length > 0);
}

function placesOf(words: readonly Word[], { words: wanted, isPrefix }: SearchTerm): readonly Range[] {
  const last = wanted.length - 1;
  const fits = (at: number): boolean =>
    wanted.every((word, index) => {
      const said = words[at + index]?.word;
      return isPrefix && index === last ? said?.startsWith(word) === true : said === word;
    });
  return words.flatMap(({ from }, at) => (fits(at) ? [[from, words[at + last]?.to ?? from] as const] : []));
}

function startOfWord(words: readonly Word[], at: number): number {
  return at === 0 ? 0 : (words.find(({ from }) => from >= at)?.from ?? at);
}

/** Never cuts a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text[end - 1] ?? "") ? end - 1 : end;
}

/** Drops overlapping ranges. */
function apart(ranges: readonly Range[]): readonly Range[] {
  let reached = 0;
  return ranges.filter(([from, to]) => {
    const isFree = from >= reached;
    if (isFree) reached = to;
    return isFree;
  });
}
