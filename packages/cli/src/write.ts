import { once } from "node:events";
import type { Writable } from "node:stream";

/** Write no faster than the reader reads. A reader that went away (`caret … | head`) is no error: the rest is dropped. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (text === "" || stream.destroyed || !stream.writable) return;
  if (stream.write(text)) return;
  await Promise.race([once(stream, "drain"), once(stream, "close")]);
}
