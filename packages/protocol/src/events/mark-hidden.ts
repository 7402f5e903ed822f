/**
 * Characters that a reader cannot see or that change the order of reading: controls but tab and line feed, marks of
 * direction, zero-width and filler characters, tags, and line separators.
 */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The text with each hidden character written out, as `<U+202E>`: for a person who must judge what it says. */
export function markHidden(text: string): string {
  return text.replaceAll(hidden, hiddenMark);
}

export function hiddenMark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
