import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "./shorten.ts";

/** Breaks lines between words as text comes. The last word is held back until it is known to be whole. */
export interface WordWrap {
  /** What a line begins with, as it is; `indent` begins the lines that the line is broken into. */
  begin(text: string, indent: string): string;
  push(text: string): string;
  /** Shows what is held back: the line is over, or the text is. */
  flush(): string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: painted text has escape sequences, which take no room.
const parts = /\x1b\[\d+m|[ \t]+|[^ \t\x1b]+/g;

/** `columns` is asked each time, because windows are resized. A word that is wider than a line is left to the terminal. */
export function createWordWrap(columns: () => number): WordWrap {
  let column = 0;
  let hang = "";
  let hangs = 0;
  let gap = "";
  let word = "";
  let width = 0;

  const putWord = (): string => {
    if (word === "") return "";
    // One column stays free, as everywhere: a full line leaves the cursor on no line.
    const room = columns() - 1;
    const breaks = column > hangs && column + gap.length + width > room && hangs + width <= room;
    const shown = breaks ? `\n${hang}${word}` : gap + word;
    column = breaks ? hangs + width : column + gap.length + width;
    gap = "";
    word = "";
    width = 0;
    return shown;
  };

  return {
    begin(text, indent) {
      hang = indent;
      hangs = displayWidth(stripVTControlCharacters(indent));
      column = hangs;
      return text;
    },
    push(text) {
      let shown = "";
      for (const [part] of text.matchAll(parts)) {
        if (/^[ \t]/.test(part)) {
          shown += putWord();
          gap += part;
          continue;
        }
        word += part;
        if (!part.startsWith("\x1b")) width += displayWidth(part);
      }
      return shown;
    },
    flush() {
      const shown = putWord() + gap;
      column = 0;
      hang = "";
      hangs = 0;
      gap = "";
      return shown;
    },
  };
}

/** One text as lines of a terminal: the first begins as it is given, the others with the indent. A pipe gets it whole. */
export function wrapText(
  text: string,
  { first, indent }: { readonly first: string; readonly indent: string },
  { columns, isTty }: { readonly columns: number; readonly isTty: boolean },
): readonly string[] {
  if (!isTty) return [first + text];
  const wrap = createWordWrap(() => columns);
  return (wrap.begin(first, indent) + wrap.push(text) + wrap.flush()).split("\n");
}

/** For pipes and files: every line stays whole, whatever its length. */
export const noWrap: WordWrap = { begin: (text) => text, push: (text) => text, flush: () => "" };
