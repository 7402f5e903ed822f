import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "./shorten.ts";

/** Wraps streamed text between words. The last word is held back until it is complete. */
export interface WordWrap {
  /** Starts a line with the text verbatim; its continuations start with `indent`. */
  begin(text: string, indent: string): string;
  push(text: string): string;
  /** Shows what is held back, at the end of the line or of the text. */
  flush(): string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: painted text has escape sequences, which take no room.
const parts = /\x1b\[\d+m|[ \t]+|[^ \t\x1b]+/g;

/** `columns` is called each time, because windows are resized. A word wider than a line is left to the terminal. */
export function createWordWrap(columns: () => number): WordWrap {
  let column = 0;
  let hang = "";
  let hangs = 0;
  let gap = "";
  let word = "";
  let width = 0;

  const putWord = (): string => {
    if (word === "") return "";
    // One column stays free, as everywhere: after a full line the cursor is on no line.
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

/** Wraps one text to terminal lines: the first starts with `first`, the others with `indent`. Pipes get it unwrapped. */
export function wrapText(
  text: string,
  { first, indent }: { readonly first: string; readonly indent: string },
  { columns, isTty }: { readonly columns: number; readonly isTty: boolean },
): readonly string[] {
  if (!isTty) return [first + text];
  const wrap = createWordWrap(() => columns);
  return (wrap.begin(first, indent) + wrap.push(text) + wrap.flush()).split("\n");
}

/** For pipes and files: lines stay whole at any length. */
export const noWrap: WordWrap = { begin: (text) => text, push: (text) => text, flush: () => "" };
