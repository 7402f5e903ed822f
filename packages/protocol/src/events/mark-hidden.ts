/**
 * Characters that are invisible, look like a space, or change the reading order: controls except tab and line feed, bidi marks, zero-width,
 * filler and variation characters, tags, line separators, every space except U+0020, and lone surrogates; characters that no font draws,
 * private-use and unassigned ones; and combining marks that have no base or are the fifth or later on a letter, since they draw over other
 * text.
 */
const hidden =
  /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]|(?<=^|[\s\p{P}\p{S}\p{C}])\p{M}|(?<=\p{M}\p{M}\p{M}\p{M})\p{M}/gu;
const notAscii = /[^\0-\x7f]/;
const letters = /[\p{L}\p{M}]+/gu;
const latin = /[a-z]/i;
/** Letters that look like Latin ones, in a word that also has Latin letters: `g\u0456t` is not `git`. */
const lookalike =
  /(?=\p{L})(?:[\p{Script=Cyrillic}\p{Script=Cherokee}\p{Script=Armenian}\p{Script=Lisu}\uff21-\uff3a\uff41-\uff5a]|[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4-\u03c7\u03f2\u03f3])/gu;

/** Spells out each hidden character, as `<U+202E>`, for a person who must judge the text. */
export function markHidden(text: string): string {
  const marked = text.replaceAll(hidden, hiddenMark);
  return notAscii.test(marked) ? marked.replaceAll(letters, markLookalikes) : marked;
}

function markLookalikes(word: string): string {
  return latin.test(word) ? word.replaceAll(lookalike, hiddenMark) : word;
}

/** The same for text that must stay on one line: a path, a label. */
export function markLine(text: string): string {
  return markHidden(text).replaceAll(/[\t\n]/g, hiddenMark);
}

export function hiddenMark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
