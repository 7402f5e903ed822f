/**
 * Characters that a reader cannot see, takes for a space, or that change the order of reading: controls but tab and line feed, marks of
 * direction, zero-width, filler and variation characters, tags, line separators, every space but U+0020, and halves of a character.
 */
const hidden = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu;

/** The text with each hidden character written out, as `<U+202E>`: for a person who must judge what it says. */
export function markHidden(text: string): string {
  return text.replaceAll(hidden, hiddenMark);
}

/** The same for what has to stay one line: a path, a label. */
export function markLine(text: string): string {
  return markHidden(text).replaceAll(/[\t\n]/g, hiddenMark);
}

export function hiddenMark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
