/** Longer pieces are cut where a line begins without indent. */
const LONG = 4_000;
/** And where any line begins; within a table later, because its rows need their header. */
const TOO_LONG = 8_000;
const TOO_LONG_TABLE = 24_000;
/** A fence within a list or a quotation is none here: it is cut like other lines. */
const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)/;

/** A part of Markdown that is read by itself. */
export interface MarkdownPiece {
  readonly text: string;
  /** It is a fence, too long to be searched for anything but its end. */
  readonly fence?: { readonly info: string; readonly code: string };
}

interface Fence {
  readonly from: number;
  readonly mark: string;
  readonly info: string;
}

/**
 * Cuts long Markdown into pieces that are read one after the other: the time to read one grows with the square of its length where lists
 * and quotations hold other blocks. A list that is cut goes on as another that begins with its next item.
 */
export function cutMarkdown(text: string): readonly MarkdownPiece[] {
  if (text.length <= LONG) return text === "" ? [] : [{ text }];
  const cutter = new Cutter(text);
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at) + 1 || text.length;
    cutter.take(text.slice(at, end), at, end);
    at = end;
  }
  return cutter.finish();
}

class Cutter {
  readonly #text: string;
  readonly #pieces: MarkdownPiece[] = [];
  #from = 0;
  #fence: Fence | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  take(line: string, at: number, end: number): void {
    if (this.#fence === undefined) {
      if (isCut(line, at - this.#from)) this.#cut(at);
      this.#fence = openedBy(line, at);
    } else if (closes(line, this.#fence)) this.#endFence(this.#fence, at, end);
  }

  finish(): readonly MarkdownPiece[] {
    const { length } = this.#text;
    if (this.#fence !== undefined) this.#endFence(this.#fence, length, length);
    this.#cut(length);
    return this.#pieces;
  }

  /** A short fence is read with what stands around it. */
  #endFence(fence: Fence, codeEnd: number, end: number): void {
    this.#fence = undefined;
    if (end - fence.from <= LONG) return;
    this.#cut(fence.from);
    this.#pieces.push(toPiece(this.#text, fence, codeEnd, end));
    this.#from = end;
  }

  #cut(at: number): void {
    if (at > this.#from) this.#pieces.push({ text: this.#text.slice(this.#from, at) });
    this.#from = at;
  }
}

function isCut(line: string, length: number): boolean {
  if (length < LONG) return false;
  if (line.startsWith("|")) return length >= TOO_LONG_TABLE;
  return length >= TOO_LONG || !/^\s/.test(line);
}

function openedBy(line: string, from: number): Fence | undefined {
  const [, mark, info = ""] = FENCE.exec(line) ?? [];
  // A backtick behind the mark makes it code within a line.
  return mark === undefined || (mark.startsWith("`") && info.includes("`"))
    ? undefined
    : { from, mark, info: info.trim() };
}

function closes(line: string, { mark }: Fence): boolean {
  const closing = /^ {0,3}(`+|~+)[ \t]*$/.exec(line.trimEnd())?.[1];
  return closing !== undefined && closing.length >= mark.length && closing[0] === mark[0];
}

function toPiece(text: string, { from, info }: Fence, codeEnd: number, end: number): MarkdownPiece {
  const codeFrom = text.indexOf("\n", from) + 1 || codeEnd;
  return { text: text.slice(from, end), fence: { info, code: text.slice(codeFrom, codeEnd).replace(/\n$/, "") } };
}
