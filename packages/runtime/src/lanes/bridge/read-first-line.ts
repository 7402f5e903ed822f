import type { Socket } from "node:net";

const NEWLINE = 0x0a;
/** Maximum read before the peer is identified. */
const MAX_BYTES = 4_096;

/** Reads the first line and leaves the rest unread, with the connection paused. Undefined if the line is too long. */
export function readFirstLine(socket: Socket, onLine: (line: string | undefined) => void): void {
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(NEWLINE);
    if (end === -1 && head.length <= MAX_BYTES) return;
    socket.off("data", onData).pause();
    if (end !== -1) socket.unshift(head.subarray(end + 1));
    onLine(end === -1 ? undefined : head.toString("utf8", 0, end));
  };
  socket.on("data", onData);
}
