/** Size from which an open line may be kept in part only. */
const LONG_LINE_BYTES = 2 * 1024 * 1024;
const HEAD_BYTES = 1024;

/** Receives the bytes of a long line and returns what it kept at the end. */
export interface LongLine {
  push(bytes: Buffer): void;
  take(): Buffer;
}

/** Decides whether a long line is kept in part only. Called with the line's start, once everything before the line was delivered. */
export type OpenLongLine = (head: string) => LongLine | undefined;

/** An incomplete line: kept in pieces, joined once. */
export interface OpenLine {
  /** Length so far, including bytes no longer kept. */
  readonly byteLength: number;
  keep(bytes: Uint8Array): void;
  /** Returns what was kept and resets. */
  take(): Buffer;
}

export function createOpenLine(openLongLine: OpenLongLine): OpenLine {
  let pieces: Buffer[] = [];
  let byteLength = 0;
  let long: LongLine | undefined;
  let isAsked = false;

  const hand = (): void => {
    isAsked = true;
    long = openLongLine(pieces[0]?.toString("latin1", 0, HEAD_BYTES) ?? "");
    if (long === undefined) return;
    for (const piece of pieces) long.push(piece);
    pieces = [];
  };

  return {
    get byteLength() {
      return byteLength;
    },
    keep(bytes) {
      byteLength += bytes.byteLength;
      if (long !== undefined) return long.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      // A copy: a reader may reuse its chunk's memory, and a small rest must not pin a large chunk.
      pieces.push(Buffer.from(bytes));
      // Earlier lines may have come with its first piece.
      if (!isAsked && pieces.length > 1 && byteLength > LONG_LINE_BYTES) hand();
    },
    take() {
      const bytes = long?.take() ?? Buffer.concat(pieces, byteLength);
      // Release the pieces before decoding: a line can be as large as all available memory.
      pieces = [];
      byteLength = 0;
      long = undefined;
      isAsked = false;
      return bytes;
    },
  };
}
