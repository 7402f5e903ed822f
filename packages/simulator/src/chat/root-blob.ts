/** Field 1, length-delimited, 32 bytes: a reference to a message blob. */
const referenceHeader = Buffer.from([0x0a, 0x20]);
const referenceBytes = 32;
/** Field 2, length-delimited: the metadata node, whose field 1 is the workspace. */
const metadataTag = 0x12;

export interface RootBlob {
  /** Blob ids (hex) of the chat's messages, oldest first. */
  readonly messageIds: readonly string[];
  readonly workspace: string;
}

/** The protobuf node that a chat's `latestRootBlobId` points at. */
export function encodeRootBlob({ messageIds, workspace }: RootBlob): Buffer {
  const references = messageIds.flatMap((id) => [referenceHeader, Buffer.from(id, "hex")]);
  const path = Buffer.from(workspace, "utf8");
  const metadata = Buffer.concat([Buffer.from([0x0a, ...encodeVarint(path.length)]), path]);
  return Buffer.concat([...references, Buffer.from([metadataTag, ...encodeVarint(metadata.length)]), metadata]);
}

/** Reads the references only: they come first, and nothing else matters to a reader. */
export function decodeMessageIds(blob: Uint8Array): readonly string[] {
  const bytes = Buffer.from(blob);
  const ids: string[] = [];
  const step = referenceHeader.length + referenceBytes;
  for (let at = 0; at + step <= bytes.length && bytes.subarray(at, at + 2).equals(referenceHeader); at += step) {
    ids.push(bytes.subarray(at + 2, at + step).toString("hex"));
  }
  return ids;
}

function encodeVarint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}
