/** The types of HTTP/2's frames. */
const HEADERS = 0x01;
const GOAWAY = 0x07;
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

/** Says that streams above one were not looked at: whatever the client asked there, it may ask again elsewhere. */
export function goawayFrame(lastStreamId: number, code: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(lastStreamId, 0);
  payload.writeUInt32BE(code, 4);
  return frame(GOAWAY, 0, payload);
}

function frame(type: number, streamId: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}
