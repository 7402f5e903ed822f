/** Whether a byte continues a multibyte character. */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

export interface TextPiece {
  readonly text: string;
  /** Byte range of the text. */
  readonly start: number;
  readonly end: number;
}

/** UTF-8 text without characters cut off at its edges. With `isLast`, nothing follows. */
export function wholeCharacters(bytes: Uint8Array, { isLast = false } = {}): TextPiece {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  const end = isLast ? bytes.length : Math.max(start, bytes.length - openBytes(bytes));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8", start, end);
  return { text, start, end };
}

/** Number of bytes at the end that belong to an incomplete character. */
function openBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
