import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { CaretError } from "@caret/protocol";

const MAX_ENCODINGS = 2;

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export interface CappedBody {
  readonly bytes: Buffer;
  /** The body exceeded the cap. */
  readonly isCut: boolean;
}

/** Reads a body up to a number of decoded bytes: a small response can decode to more than fits in memory. */
export async function readCappedBody(body: Readable, encoding: string, maxBytes: number): Promise<CappedBody> {
  const streams = decode(body, encoding);
  const decoded = streams.at(-1) ?? body;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of decoded) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length > maxBytes) break;
    }
  } finally {
    for (const stream of [body, ...streams]) stream.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}

/** Encodings are listed in the order applied, so the last is undone first. */
function decode(body: Readable, encoding: string): readonly Readable[] {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_ENCODINGS) throw new CaretError("protocol-violation", "The answer is encoded too many times");
  let source = body;
  return names.reverse().map((name) => {
    const decoder = decoders[name]?.();
    if (decoder === undefined) throw new CaretError("unsupported", `The answer's encoding ${name} is not known`);
    // Without `pipeline`, an error of the source would leave the decoder waiting forever.
    source.on("error", (reason) => decoder.destroy(reason));
    source = source.pipe(decoder);
    return decoder;
  });
}
