import { CaretError } from "@caret/protocol";
import type { FileData, LineRange } from "../../calls/tool-data.ts";

/** Limit of what is held in memory and sent in one message. */
const MAX_BYTES = 16 * 1024 * 1024;
const BLOCK_BYTES = 1024 * 1024;
const LINE_FEED = 10;

/** Bytes with random access. */
export interface ByteSource {
  readonly size: number;
  /** Returns fewer bytes only at the end. */
  read(position: number, length: number): Promise<Buffer>;
}

/**
 * Lines of a file, byte for byte: split at line feeds and joined by them, as a program that splits and joins the text would. A result too
 * large for a message is refused, never cut.
 */
export async function readExactLines(source: ByteSource, path: string, range: LineRange = {}): Promise<FileData> {
  const whole = await survey(source, 0, Number.POSITIVE_INFINITY);
  const { first, end } = whichLines(range, whole);
  const isWhole = first === 0 && end >= whole.pieces;
  const { from, to } = isWhole ? { from: 0, to: source.size } : await survey(source, first, end);
  if (to - from > MAX_BYTES)
    throw new CaretError("too-large", `${path} has ${to - from} bytes to read; at most ${MAX_BYTES} are read at once`);
  const bytes = await source.read(from, to - from);
  if (bytes.length < to - from) throw new CaretError("invalid-request", `${path} became shorter while it was read`);
  return {
    kind: "file",
    bytes,
    fileSize: source.size,
    totalLines: source.size === 0 ? 0 : whole.pieces,
    isPart: bytes.length < source.size,
  };
}

interface Survey {
  readonly pieces: number;
  readonly endsInLineFeed: boolean;
  /** Byte range of the wanted lines. */
  readonly from: number;
  readonly to: number;
}

/** Range of the wanted pieces, from 0. When counting from the end, the empty piece after a final line feed is not a line. */
function whichLines({ offset = 0, limit = 0 }: LineRange, { pieces, endsInLineFeed }: Survey) {
  const lines = endsInLineFeed ? pieces - 1 : pieces;
  const first = offset < 0 ? Math.max(0, lines + offset) : Math.max(0, offset - 1);
  return { first, end: limit > 0 ? first + limit : Number.POSITIVE_INFINITY };
}

async function survey(source: ByteSource, first: number, end: number): Promise<Survey> {
  let pieces = 1;
  let from = first === 0 ? 0 : source.size;
  let to = source.size;
  let last: number | undefined;
  for (let position = 0; position < source.size; position += BLOCK_BYTES) {
    const block = await source.read(position, Math.min(BLOCK_BYTES, source.size - position));
    for (let at = block.indexOf(LINE_FEED); at !== -1; at = block.indexOf(LINE_FEED, at + 1)) {
      if (pieces === first) from = position + at + 1;
      if (pieces === end) to = position + at;
      pieces += 1;
    }
    last = block.at(-1) ?? last;
  }
  return { pieces, endsInLineFeed: last === LINE_FEED, from, to };
}
