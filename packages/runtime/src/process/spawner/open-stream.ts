import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A full backlog empties within moments. */
const CONNECT_RETRY_MS: readonly number[] = [5, 20, 80];
const READ_BYTES = 64 * 1024;

/**
 * Shared buffer for all streams of children, one read after the other. Node would allocate this much for every read and free it at its
 * next garbage collection: with many streams that took longer than the reading.
 */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * A connection to the spawner that becomes a stream of a child; its first line says which. Nothing is read until it is resumed. Its "data"
 * is part of a buffer that the next read of any stream overwrites: listeners must copy what they keep. It cannot be pulled from (`read()`,
 * `for await`).
 */
export function openStream(path: string, greeting: string, retryMs = CONNECT_RETRY_MS): Promise<Socket> {
  return connectOnce(path, greeting).catch(async (reason: unknown) => {
    const [waitMs, ...rest] = retryMs;
    if ((reason as NodeJS.ErrnoException).code !== "EAGAIN" || waitMs === undefined) throw reason;
    await sleep(waitMs);
    return await openStream(path, greeting, rest);
  });
}

function connectOnce(path: string, greeting: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const callback = (bytes: number, buffer: Uint8Array): boolean => {
      socket.emit("data", buffer.subarray(0, bytes));
      return true; // regardless of listeners: `pause` stops the reading
    };
    // A child that ends its output still reads its input, and vice versa.
    const socket = connect({ path, allowHalfOpen: true, onread: { buffer: readBuffer, callback } });
    socket.pause();
    // Also covers later errors: before the stream has listeners, an error must not end this process.
    socket.on("error", reject);
    socket.once("connect", () => {
      socket.write(`${greeting}\n`);
      resolve(socket);
    });
  });
}
