import { CaretError } from "@caret/protocol";

/**
 * What the two ends of the HTTP bridge exchange over the bridge's standard streams:
 *
 *     length (4 bytes, big endian, of what follows) | kind (1) | request (4) | payload
 *
 * - the host sends `setup` once, then for each request `open`, `data` and `end`, or `cancel`;
 * - the bridge answers `head`, `data` and `end`, or `failed`;
 * - a receiver of `data` sends `taken` with the number of bytes it has consumed. The bridge reads a response only so far ahead, so an
 *   unread response does not fill the memory of either end.
 */
export const frameKinds = [
  "setup",
  "probe",
  "probed",
  "open",
  "head",
  "data",
  "taken",
  "end",
  "cancel",
  "failed",
] as const;

export type FrameKind = (typeof frameKinds)[number];

export interface BridgeFrame {
  readonly kind: FrameKind;
  readonly request: number;
  readonly payload: Uint8Array;
}

const LENGTH_BYTES = 4;
const HEAD_BYTES = 5;
const MAX_FRAME_BYTES = 80 * 1024 * 1024;
const nothing = new Uint8Array();

export function toFrame(kind: FrameKind, request: number, payload: Uint8Array = nothing): Uint8Array {
  const frame = new Uint8Array(LENGTH_BYTES + HEAD_BYTES + payload.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, HEAD_BYTES + payload.length);
  view.setUint8(LENGTH_BYTES, frameKinds.indexOf(kind));
  view.setUint32(LENGTH_BYTES + 1, request);
  frame.set(payload, LENGTH_BYTES + HEAD_BYTES);
  return frame;
}

export function toJsonFrame(kind: FrameKind, request: number, value: unknown): Uint8Array {
  return toFrame(kind, request, Buffer.from(JSON.stringify(value)));
}

/** Splits the bytes read by one end into frames, whatever the chunk boundaries. */
export function createFrameSplitter(): (chunk: Uint8Array) => readonly BridgeFrame[] {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let needed = LENGTH_BYTES;
  return (chunk) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < needed) return [];
    let rest = pending.length === 1 ? chunk : Buffer.concat(pending);
    const frames: BridgeFrame[] = [];
    for (needed = sizeIn(rest); rest.length >= needed; needed = sizeIn(rest)) {
      if (needed === LENGTH_BYTES) break;
      frames.push(readFrame(rest.subarray(LENGTH_BYTES, needed)));
      rest = rest.subarray(needed);
    }
    pending = rest.length === 0 ? [] : [rest];
    pendingBytes = rest.length;
    return frames;
  };
}

/** Size of the first frame; only that of its length field while the length is unknown. */
function sizeIn(bytes: Uint8Array): number {
  if (bytes.length < LENGTH_BYTES) return LENGTH_BYTES;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  if (length < HEAD_BYTES || length > MAX_FRAME_BYTES)
    throw new CaretError("internal", `The HTTP bridge sent a frame of ${length} bytes`);
  return LENGTH_BYTES + length;
}

function readFrame(bytes: Uint8Array): BridgeFrame {
  const kind = frameKinds[bytes[0] ?? -1];
  if (kind === undefined) throw new CaretError("internal", `The HTTP bridge sent a frame of the kind ${bytes[0]}`);
  const request = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
  return { kind, request, payload: bytes.subarray(HEAD_BYTES) };
}
