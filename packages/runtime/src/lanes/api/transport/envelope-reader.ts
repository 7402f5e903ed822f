import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { CaretError } from "@caret/protocol";

const HEADER_BYTES = 5;
const COMPRESSED = 0b01;
const END = 0b10;

const textDecoder = new TextDecoder();
const nothing: Envelopes = { messages: [], end: undefined };

/** What one read of a Connect stream contained. */
export interface Envelopes {
  readonly messages: readonly Uint8Array[];
  /** The end frame's JSON, once received. Anything after it is dropped. */
  readonly end: string | undefined;
}

export interface EnvelopeReader {
  /** Throws `protocol-violation` for invalid Connect data, and `too-large` before allocating. */
  push(chunk: Uint8Array): Envelopes;
  /** Whether the stream broke off within an envelope. */
  readonly isTruncated: boolean;
}

export interface EnvelopeReaderOptions {
  readonly maxBytes: number;
  /** The response's `connect-content-encoding`. */
  readonly encoding: string | undefined;
}

/**
 * Splits a Connect stream: each message is preceded by a byte of flags and four bytes of length. One batch per read, because a promise per
 * message would cost more than the message.
 */
export function createEnvelopeReader({ maxBytes, encoding }: EnvelopeReaderOptions): EnvelopeReader {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  /** Bytes needed for the next envelope; reads are joined only once they are all there. */
  let needed = HEADER_BYTES;
  let hasEnded = false;

  /** Size of the first envelope, as far as known. */
  const sizeOf = (bytes: Uint8Array): number => {
    if (bytes.length < HEADER_BYTES) return HEADER_BYTES;
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
    if (length <= maxBytes) return HEADER_BYTES + length;
    throw new CaretError("too-large", `A message of ${length} bytes is longer than the ${maxBytes} that are accepted`);
  };

  const open = (flags: number, data: Uint8Array): Uint8Array => {
    if ((flags & ~(COMPRESSED | END)) !== 0) throw violation(`reserved flags 0x${flags.toString(16)}`);
    return (flags & COMPRESSED) === 0 || data.length === 0 ? data : decompress(data, encoding, maxBytes);
  };

  /** Removes complete envelopes from the front; returns the rest. */
  const takeWhole = (bytes: Uint8Array, messages: Uint8Array[]): { rest: Uint8Array; end: string | undefined } => {
    let rest = bytes;
    for (;;) {
      needed = sizeOf(rest);
      if (rest.length < HEADER_BYTES || rest.length < needed) return { rest, end: undefined };
      const flags = rest[0] ?? 0;
      const data = open(flags, rest.subarray(HEADER_BYTES, needed));
      rest = rest.subarray(needed);
      if ((flags & END) !== 0) return { rest, end: textDecoder.decode(data) };
      messages.push(data);
    }
  };

  return {
    push(chunk) {
      if (hasEnded) return nothing;
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes < needed) return nothing;
      const messages: Uint8Array[] = [];
      const { rest, end } = takeWhole(pending.length === 1 ? chunk : Buffer.concat(pending), messages);
      hasEnded = end !== undefined;
      pending = rest.length === 0 ? [] : [rest];
      pendingBytes = rest.length;
      return { messages, end };
    },
    get isTruncated() {
      return !hasEnded && pendingBytes > 0;
    },
  };
}

/** Wraps a message to send; never compressed. */
export function toEnvelope(message: Uint8Array): Uint8Array {
  const envelope = new Uint8Array(HEADER_BYTES + message.length);
  new DataView(envelope.buffer).setUint32(1, message.length);
  envelope.set(message, HEADER_BYTES);
  return envelope;
}

function decompress(data: Uint8Array, encoding: string | undefined, maxOutputLength: number): Uint8Array {
  try {
    if (encoding === "gzip") return gunzipSync(data, { maxOutputLength });
    if (encoding === "br") return brotliDecompressSync(data, { maxOutputLength });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw new CaretError(
        "too-large",
        `A compressed message is longer than the ${maxOutputLength} bytes that are accepted`,
      );
    throw violation("a compressed message that cannot be decompressed", cause);
  }
  throw violation("a compressed message, though no compression was agreed on");
}

function violation(found: string, cause?: unknown): CaretError {
  return new CaretError("protocol-violation", `The upstream's stream holds ${found}`, {
    cause,
    fix: "Try again; if it happens again, the server at this address does not speak Cursor's protocol.",
  });
}
