const REFERENCE_BYTES = 32;
const REFERENCES_FIELD = 1;

/**
 * The ids of the blobs that a node of the chain refers to, in order: its fields number 1 of 32 bytes, the SHA-256 of
 * what they name. The rest of the node is skipped without being understood; a damaged tail ends the list.
 */
export function blobRefs(node: Uint8Array): readonly string[] {
  const references: string[] = [];
  let offset = 0;
  while (offset < node.length) {
    const field = readField(node, offset);
    if (field === undefined) break;
    if (field.number === REFERENCES_FIELD && field.bytes?.length === REFERENCE_BYTES)
      references.push(Buffer.from(field.bytes).toString("hex"));
    offset = field.end;
  }
  return references;
}

interface Field {
  readonly number: number;
  /** Only of a field that has a length. */
  readonly bytes: Uint8Array | undefined;
  readonly end: number;
}

/** One field in protocol buffers' wire format. */
function readField(node: Uint8Array, start: number): Field | undefined {
  const tag = readVarint(node, start);
  if (tag === undefined) return undefined;
  const number = Math.floor(tag.value / 8);
  switch (tag.value % 8) {
    case 0: {
      const value = readVarint(node, tag.end);
      return value && { number, bytes: undefined, end: value.end };
    }
    case 1:
      return { number, bytes: undefined, end: tag.end + 8 };
    case 2: {
      const length = readVarint(node, tag.end);
      const end = length && length.end + length.value;
      if (length === undefined || end === undefined || end > node.length) return undefined;
      return { number, bytes: node.subarray(length.end, end), end };
    }
    case 5:
      return { number, bytes: undefined, end: tag.end + 4 };
    default:
      return undefined;
  }
}

function readVarint(node: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 10; index += 1) {
    const byte = node[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return undefined;
}
