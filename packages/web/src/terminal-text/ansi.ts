import { type AnsiStyle, applySgr, plainStyle } from "./ansi-style.ts";

export interface AnsiSpan {
  readonly text: string;
  readonly style: AnsiStyle;
}

export type AnsiLine = readonly AnsiSpan[];

export interface AnsiOptions {
  /** Only the newest lines are kept. */
  readonly maxLines?: number;
  /** What a line has beyond this is dropped: nobody reads a line of a megabyte. */
  readonly maxColumns?: number;
}

/**
 * One step through the output: a sequence that styles or moves, a sequence of any other kind, a control character, or
 * a run of text. Strings such as titles and links end with BEL or ST, or with the output if that was cut.
 */
const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a terminal's output is made of
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b\[?[0-?]*$|\x1b[ -/]*[0-~]|[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\x08\x0a-\x1f\x7f]+/g;

/**
 * What a terminal would show of the output, line by line: colours and weights as styles; carriage returns, backspaces and
 * "erase the rest" overwrite, so that a progress bar is one line; everything else a terminal obeys is left out.
 */
export function parseAnsi(text: string, options: AnsiOptions = {}): readonly AnsiLine[] {
  const { maxLines = 5_000, maxColumns = 4_000 } = options;
  const lines: AnsiLine[] = [];
  const line = new LineDraft(maxColumns);
  let style = plainStyle;
  for (const match of text.matchAll(token)) {
    const [whole, parameters = "", command] = match;
    if (whole === "\n") lines.push(line.take());
    else if (command === "m") style = applySgr(style, parameters);
    else if (command !== undefined) line.obey(command, Number.parseInt(parameters, 10));
    else if (!line.control(whole)) line.write(whole, style);
  }
  if (!line.isEmpty) lines.push(line.take());
  return lines.slice(-maxLines);
}

/** The line that is being written, with the column where the next character goes. */
class LineDraft {
  #spans: AnsiSpan[] = [];
  #length = 0;
  #column = 0;
  readonly #maxColumns: number;

  constructor(maxColumns: number) {
    this.#maxColumns = maxColumns;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  take(): AnsiLine {
    const spans = this.#spans;
    this.#spans = [];
    this.#length = 0;
    this.#column = 0;
    return spans;
  }

  write(text: string, style: AnsiStyle): void {
    const shown = text.slice(0, Math.max(0, this.#maxColumns - this.#column));
    if (shown === "") return;
    if (this.#column > this.#length) this.#append(" ".repeat(this.#column - this.#length), plainStyle);
    const tail = this.#cut(this.#column + shown.length, this.#length);
    this.#spans = this.#cut(0, this.#column);
    this.#length = this.#column;
    this.#append(shown, style);
    for (const span of tail) this.#append(span.text, span.style);
    this.#column += shown.length;
  }

  /** Whether it was a control character or a sequence without a meaning here; nothing is to be written then. */
  control(whole: string): boolean {
    const code = whole.charCodeAt(0);
    if (whole === "\r") this.#column = 0;
    if (whole === "\b") this.#column = Math.max(0, this.#column - 1);
    return (code < 32 && code !== 9) || code === 127;
  }

  obey(command: string, parameter: number): void {
    const count = Number.isNaN(parameter) ? 1 : Math.max(1, parameter);
    if (command === "C") this.#column = Math.min(this.#maxColumns, this.#column + count);
    if (command === "D") this.#column = Math.max(0, this.#column - count);
    if (command === "G") this.#column = Math.min(this.#maxColumns, count - 1);
    if (command === "K") this.#erase(Number.isNaN(parameter) ? 0 : parameter);
  }

  /** 0: from here to the end; 1: up to here; 2: all of it. */
  #erase(how: number): void {
    const kept = how === 0 ? this.#cut(0, this.#column) : [];
    const tail = how === 1 ? this.#cut(this.#column, this.#length) : [];
    const gap = tail.length === 0 ? "" : " ".repeat(Math.min(this.#column, this.#length));
    this.#spans = kept;
    this.#length = kept.reduce((sum, span) => sum + span.text.length, 0);
    this.#append(gap, plainStyle);
    for (const span of tail) this.#append(span.text, span.style);
  }

  #append(text: string, style: AnsiStyle): void {
    if (text === "") return;
    const last = this.#spans.at(-1);
    if (last !== undefined && last.style === style)
      this.#spans[this.#spans.length - 1] = { text: last.text + text, style };
    else this.#spans.push({ text, style });
    this.#length += text.length;
  }

  #cut(from: number, to: number): AnsiSpan[] {
    if (from === 0 && to >= this.#length) return this.#spans;
    const cut: AnsiSpan[] = [];
    let start = 0;
    for (const span of this.#spans) {
      const text = span.text.slice(Math.max(0, from - start), Math.max(0, to - start));
      if (text !== "") cut.push({ text, style: span.style });
      start += span.text.length;
    }
    return cut;
  }
}
