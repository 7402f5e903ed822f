import { stripVTControlCharacters } from "node:util";
import { splitGraphemes } from "./display-width.ts";

const ERASE_LINE = "\x1b[2K";
const SAVE = "\x1b7";
const RESTORE = "\x1b8";
/** Scroll if need be and come back, so that there is a line below without leaving the column. */
const MAKE_ROOM_BELOW = "\x1bD\x1b[A";

/** Keeps one live line below what was printed. Gives the text to write; writes nothing itself. */
export interface Screen {
  /** Print, then show the status, or none. Text in the middle of a line keeps its place, with the status below it. */
  show(text: string, status: string | undefined): string;
}

export interface ScreenOptions {
  readonly isTty: boolean;
  readonly columns: () => number;
}

/** In a pipe there is never a status line. */
export function createScreen({ isTty, columns }: ScreenOptions): Screen {
  let column = 0;
  let shown: string | undefined;
  let isBelow = false;

  const erase = (): string => {
    if (shown === undefined) return "";
    shown = undefined;
    return isBelow ? `${SAVE}\r\n${ERASE_LINE}${RESTORE}` : `\r${ERASE_LINE}`;
  };

  const draw = (status: string | undefined): string => {
    // Behind the last column the cursor is neither on this line nor on the next, and could not be found again.
    const atEdge = column > 0 && column % columns() === 0;
    if (status === undefined || atEdge) return "";
    shown = status;
    isBelow = column > 0;
    return isBelow ? `${MAKE_ROOM_BELOW}${SAVE}\r\n${ERASE_LINE}${status}${RESTORE}` : status;
  };

  return {
    show(text, status) {
      if (!isTty) return text;
      if (text === "" && status === shown) return "";
      const before = erase();
      column = columnAfter(text, column, columns());
      return before + text + draw(status);
    },
  };
}

/** Counted on through wrapped lines. A wide character that does not fit on a line leaves its last column empty. */
function columnAfter(text: string, column: number, columns: number): number {
  const lineStart = text.lastIndexOf("\n") + 1;
  const line = stripVTControlCharacters(text.slice(lineStart));
  let after = lineStart === 0 ? column : 0;
  for (const { width } of splitGraphemes(line)) {
    if (width === 2 && after % columns === columns - 1) after += 1;
    after += width;
  }
  return after;
}
