import { REDACTED } from "../../redaction/redacted.ts";

/** A piece of what was said, without white space. */
export interface SaidPiece {
  readonly words: string;
  /** A secret before it was redacted in the log: anything may come there. */
  readonly isAfterSecret: boolean;
}

/** What a client or door adds to an answer's words: activity, a note in brackets, a tag. */
const addition = /^(?:→|\[.*\]$|<.*>$|\(.*\)$)/s;

/** A client's label for the speaker. */
const label = /^\W*\w{1,20}:\W*$/;

/** Failed searches for a block; only a made-up answer has more. */
const MOST_MISSES = 8;

/** Trimming and joining change white space, which carries no meaning. */
export function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

export function piecesOf(text: string): readonly SaidPiece[] {
  return withoutSpace(text)
    .split(REDACTED)
    .map((words, index) => ({ words, isAfterSecret: index > 0 }));
}

/**
 * Whether a client can have derived `sent` from what it was given, block by block. Clients trim and join blocks, omit some or all of them,
 * cut the text off, and add labels, notes in brackets and activity around it. Both are without white space.
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

/** Reads what a client sent, piece by piece of what it was given. */
class SentReader {
  readonly #sent: string;
  #at = 0;
  #misses = 0;
  /** The rest is the beginning of a piece. */
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

  /** Index of the words if they come next, possibly after something that clients add; otherwise -1. */
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

/** Like `String.indexOf`, which is not linear for every text. */
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

/** For each prefix of a text, the length of its longest proper prefix that is also its suffix (Knuth, Morris and Pratt). */
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
