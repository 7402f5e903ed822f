import { REDACTED } from "../../redaction/redacted.ts";

/** A piece of what was said, without white space. */
export interface SaidPiece {
  readonly words: string;
  /** A secret was taken out before it when it was kept: anything may stand there. */
  readonly isAfterSecret: boolean;
}

/** What a client or a door puts beside the words of an answer: activity, a note in brackets, a tag. */
const addition = /^(?:→|\[.*\]$|<.*>$|\(.*\)$)/s;

/** Where a client shows who speaks. */
const label = /^\W*\w{1,20}:\W*$/;

/** Searches for a block that come to nothing: only an answer that was made up has more of them. */
const MOST_MISSES = 8;

/** White space comes and goes with trimming and joining, and says nothing. */
export function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

export function piecesOf(text: string): readonly SaidPiece[] {
  return withoutSpace(text)
    .split(REDACTED)
    .map((words, index) => ({ words, isAfterSecret: index > 0 }));
}

/**
 * Whether a client that sends `sent` can have made it from what it was given, block by block. Clients trim and join blocks, leave
 * some of them or all out, cut the text off, and put labels, notes in brackets and activity around it. Both are without white space.
 */
export function isSameAnswer(sent: string, given: readonly SaidPiece[]): boolean {
  const all = given.map(({ words }) => words).join(REDACTED);
  if (contains(all, sent) || contains(given.map(({ words }) => words).join(""), sent)) return true;
  return isBuiltFrom(sent, given);
}

function isBuiltFrom(sent: string, given: readonly SaidPiece[]): boolean {
  const reader = new SentReader(sent);
  for (const piece of given) reader.take(piece);
  return reader.isRead;
}

/** Goes through what a client sent, piece by piece of what it was given. */
class SentReader {
  readonly #sent: string;
  #at = 0;
  #misses = 0;
  /** What is left is the beginning of a piece. */
  #isCut = false;
  /** What comes next may have been a secret. */
  #mayBeAnything = false;

  constructor(sent: string) {
    this.#sent = sent;
  }

  take({ words, isAfterSecret }: SaidPiece): void {
    this.#mayBeAnything ||= isAfterSecret && this.#at > 0;
    if (words === "") return;
    const from = this.#find(words);
    if (from === -1) {
      this.#isCut ||= words.startsWith(this.#sent.slice(this.#at));
      return;
    }
    this.#at = from + words.length;
    this.#isCut = false;
    this.#mayBeAnything = false;
  }

  get isRead(): boolean {
    const rest = this.#sent.slice(this.#at);
    return this.#at > 0 && (rest === "" || this.#mayBeAnything || this.#isCut || isAddition(rest, this.#at));
  }

  /** Where the words stand that come next, or come behind something that clients add. */
  #find(words: string): number {
    if (this.#sent.startsWith(words, this.#at)) return this.#at;
    if (this.#misses >= MOST_MISSES) return -1;
    const found = indexOf(this.#sent, words, this.#at);
    const isNext = found !== -1 && (this.#mayBeAnything || isAddition(this.#sent.slice(this.#at, found), this.#at));
    if (!isNext) this.#misses += 1;
    return isNext ? found : -1;
  }
}

function isAddition(text: string, at: number): boolean {
  return addition.test(text) || (at === 0 && label.test(text));
}

function contains(text: string, part: string): boolean {
  return part.length <= text.length && indexOf(text, part, 0) !== -1;
}

/** As `String.indexOf`, whose time is not linear for every text. */
function indexOf(text: string, part: string, from: number): number {
  if (part === "") return from;
  if (text.startsWith(part, from)) return from;
  const fallback = fallbacksOf(part);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    while (matched > 0 && text[at] !== part[matched]) matched = fallback[matched - 1] ?? 0;
    if (text[at] === part[matched]) matched += 1;
    if (matched === part.length) return at - part.length + 1;
  }
  return -1;
}

/** For each beginning of a text, the length of the longest shorter beginning that it ends with (Knuth, Morris and Pratt). */
function fallbacksOf(part: string): Int32Array {
  const fallback = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at++) {
    while (matched > 0 && part[at] !== part[matched]) matched = fallback[matched - 1] ?? 0;
    if (part[at] === part[matched]) matched += 1;
    fallback[at] = matched;
  }
  return fallback;
}
