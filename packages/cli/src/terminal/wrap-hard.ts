import type { Look } from "./look.ts";
import { displayWidth, splitGraphemes } from "./shorten.ts";

const TAB = "    ";
/** Characters processed at a time: a line may be megabytes long. */
const CHUNK = 4_096;

interface Wrapping extends Pick<Look, "glyphs"> {
  readonly columns: number | undefined;
}

/**
 * Breaks a line at the terminal's width, keeping every character: word wrap drops the spaces it breaks at. Continuation rows start with an
 * ellipsis, so they do not look like lines of their own.
 */
export function wrapHard(line: string, { columns, glyphs }: Wrapping): readonly string[] {
  const text = line.replaceAll("\t", TAB);
  if (columns === undefined || (text.length < columns * 4 && displayWidth(text) < columns)) return [text];
  const mark = `  ${glyphs.ellipsis} `;
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const piece of piecesOf(text)) {
    // One column stays free: terminals differ about the width of some characters.
    if (used + piece.width > columns - 1 && used > displayWidth(mark)) {
      rows.push(row);
      row = mark;
      used = displayWidth(mark);
    }
    row += piece.text;
    used += piece.width;
  }
  return [...rows, row];
}

function* piecesOf(text: string): Iterable<{ readonly text: string; readonly width: number }> {
  let rest = 0;
  while (rest < text.length) {
    const pieces = splitGraphemes(text.slice(rest, rest + CHUNK));
    // The last one may continue in the next chunk.
    const whole = rest + CHUNK < text.length && pieces.length > 1 ? pieces.slice(0, -1) : pieces;
    for (const piece of whole) {
      yield piece;
      rest += piece.text.length;
    }
  }
}
