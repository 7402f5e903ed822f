/** From here on it is asked whether a line that is still open is needed whole. */
const LONG_LINE_BYTES = 2 * 1024 * 1024;
const HEAD_BYTES = 1024;

/** Takes the bytes of a long line, and gives what is left of it at its end. */
export interface LongLine {
  push(bytes: Buffer): void;
  take(): Buffer;
}

/**
 * Whether a line that has grown long is to be kept otherwise than whole; called with how it begins, once everything that
 * came before the line was given.
 */
export type OpenLongLine = (head: string) => LongLine | undefined;

/** A line whose end has not come yet: kept as the pieces it came in, and joined once. */
export interface OpenLine {
  /** How long it is so far, also what is no longer kept of it. */
  readonly byteLength: number;
  keep(bytes: Uint8Array): void;
  /** What was kept. Empty again afterwards. */
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
      // The lines before it may have come with its first piece.
      if (!isAsked && pieces.length > 1 && byteLength > LONG_LINE_BYTES) hand();
    },
    take() {
      const bytes = long?.take() ?? Buffer.concat(pieces, byteLength);
      // Let go of the pieces before the line is decoded: a line may be as large as all the memory there is to spare.
      pieces = [];
      byteLength = 0;
      long = undefined;
      isAsked = false;
      return bytes;
    },
  };
}
