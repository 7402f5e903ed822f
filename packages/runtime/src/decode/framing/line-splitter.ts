import { CaretError } from "@caret/protocol";
import { createOpenLine, type OpenLongLine } from "./open-line.ts";

export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = "\uFEFF";

export interface LineBatch {
  /** With `keepsRuns` an element can be several raw lines: split it with `linesOf`. */
  readonly lines: readonly string[];
  /** Set once a line exceeded the cap. Nothing after that line is read. */
  readonly failure?: CaretError;
}

export interface LineSplitterOptions {
  readonly maxLineBytes?: number;
  readonly openLongLine?: OpenLongLine;
  /** Keep the whole lines of a chunk together, for a reader that handles many at once. */
  readonly keepsRuns?: boolean;
}

export interface LineSplitter {
  push(chunk: Uint8Array): LineBatch;
  /** The chunk as a run, if it is whole lines and continues none; otherwise undefined. Does not consume it. */
  peek(chunk: Uint8Array): string | undefined;
  /** Call at the end of the stream: the last line may have no newline. */
  end(): LineBatch;
}

/**
 * Splits bytes into lines. Knows bytes and newlines; nothing about JSON.
 *
 * Only 0x0A ends a line: U+2028 and a lone CR are content, though one CR before the newline is dropped. Bytes are decoded by whole lines,
 * so a chunk can cut a character anywhere. An open line is kept as its chunks and joined once; past `maxLineBytes` it is dropped and
 * reported, so memory stays bounded.
 */
export function createLineSplitter(options: LineSplitterOptions = {}): LineSplitter {
  const { maxLineBytes = DEFAULT_MAX_LINE_BYTES, openLongLine = () => undefined, keepsRuns = false } = options;
  const open = createOpenLine(openLongLine);
  let atStart = true;
  let failure: CaretError | undefined;

  const keep = (bytes: Uint8Array): void => {
    if (open.byteLength + bytes.byteLength > maxLineBytes) fail();
    else open.keep(bytes);
  };

  const fail = (): void => {
    failure = new CaretError("too-large", `A line of the agent's output is longer than ${maxLineBytes} bytes`, {
      fix: "Raise `limits.lineBytes`, or ask the agent to read less at once.",
    });
    open.take();
  };

  const addText = (lines: string[], text: string): void => {
    const run = atStart && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    atStart = false;
    if (!keepsRuns) addLines(lines, run);
    // Raw: `linesOf` also removes its last line's CR.
    else if (run !== "") lines.push(run);
  };

  /** Decodes a chunk's whole lines at once, which is far cheaper than line by line. */
  const addWholeLines = (lines: string[], bytes: Buffer): void => {
    if (bytes.byteLength <= maxLineBytes) return addText(lines, bytes.toString("utf8"));
    let start = 0;
    while (start <= bytes.byteLength && failure === undefined) {
      const found = bytes.indexOf(NEWLINE, start);
      const end = found === -1 ? bytes.byteLength : found;
      if (end - start > maxLineBytes) fail();
      else addText(lines, bytes.toString("utf8", start, end));
      start = end + 1;
    }
  };

  /** Adds the chunk's part of the open line. Returns where the rest begins, or -1 if there is none. */
  const finishOpenLine = (lines: string[], bytes: Buffer): number => {
    if (open.byteLength === 0) return 0;
    const first = bytes.indexOf(NEWLINE);
    keep(bytes.subarray(0, first === -1 ? bytes.byteLength : first));
    if (first === -1 || failure !== undefined) return -1;
    addText(lines, open.take().toString("utf8"));
    return first + 1;
  };

  /** The usual output of streaming agents. */
  const isWholeLines = (bytes: Uint8Array): boolean =>
    open.byteLength === 0 && bytes[bytes.byteLength - 1] === NEWLINE && bytes.byteLength <= maxLineBytes;

  const push = (chunk: Uint8Array): LineBatch => {
    const lines: string[] = [];
    if (failure !== undefined) return { lines };
    const bytes = asBuffer(chunk);
    if (isWholeLines(bytes)) {
      addText(lines, bytes.toString("utf8", 0, bytes.byteLength - 1));
      return { lines };
    }
    const start = finishOpenLine(lines, bytes);
    if (start === -1) return batch(lines);
    const last = bytes.lastIndexOf(NEWLINE);
    if (last >= start) addWholeLines(lines, bytes.subarray(start, last));
    const rest = Math.max(last + 1, start);
    if (rest < bytes.byteLength && failure === undefined) keep(bytes.subarray(rest));
    return batch(lines);
  };

  const peek = (chunk: Uint8Array): string | undefined =>
    !atStart && failure === undefined && isWholeLines(chunk)
      ? asBuffer(chunk).toString("utf8", 0, chunk.byteLength - 1)
      : undefined;

  const batch = (lines: readonly string[]): LineBatch => (failure === undefined ? { lines } : { lines, failure });

  const end = (): LineBatch => {
    const lines: string[] = [];
    if (open.byteLength > 0 && failure === undefined) addText(lines, open.take().toString("utf8"));
    return { lines };
  };

  return { push, peek, end };
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** Splits a run into lines. */
export function linesOf(run: string): readonly string[] {
  const lines: string[] = [];
  addLines(lines, run);
  return lines;
}

function addLines(lines: string[], run: string): void {
  let start = 0;
  for (let end = run.indexOf("\n"); end !== -1; end = run.indexOf("\n", start)) {
    addLine(lines, run.slice(start, end));
    start = end + 1;
  }
  addLine(lines, run.slice(start));
}

function addLine(lines: string[], line: string): void {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text !== "") lines.push(text);
}
