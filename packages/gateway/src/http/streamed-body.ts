import type { ServerResponse } from "node:http";

/** The body of a response whose head has been sent. */
export interface StreamedBody {
  /** False if the reader is slower than the writer: `drain` follows. `bytes` is the text's length in UTF-8. */
  write(text: string, bytes: number): boolean;
  onDrain(listener: () => void): void;
  readonly needsDrain: boolean;
}

/**
 * Node writes a chunk of a response as three pieces: its length, the text, a line break. This writes a chunk as one string, in one write to
 * the socket. A response without chunks (HTTP/1.0), or one queued behind others on its connection, is left to Node.
 */
export function streamedBody(raw: ServerResponse): StreamedBody {
  const { socket } = raw;
  if (socket === null || !raw.chunkedEncoding)
    return {
      write: (text) => raw.write(text),
      onDrain: (listener) => void raw.on("drain", listener),
      get needsDrain() {
        return raw.writableNeedDrain;
      },
    };
  return {
    write(text, bytes) {
      // One byte per character: plain ASCII, which needs no encoder.
      const encoding = bytes === text.length ? "latin1" : "utf8";
      return socket.write(`${bytes.toString(16)}\r\n${text}\r\n`, encoding);
    },
    onDrain(listener) {
      socket.on("drain", listener);
      // The connection outlives the response.
      raw.once("close", () => socket.off("drain", listener));
    },
    get needsDrain() {
      return socket.writableNeedDrain;
    },
  };
}
